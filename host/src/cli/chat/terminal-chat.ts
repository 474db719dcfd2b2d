import { join } from 'node:path'
import { systemClock } from '#kernel/clock.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, paint } from '../console/cli.ts'
import { createChatScreen } from './chat-screen.ts'
import type { ChatOptions } from './conversation/chat-options.ts'
import { openHistory } from './input/history.ts'
import { openKeys } from './input/keys.ts'
import type { OpenTalk } from './open-talk.ts'
import { openDevice } from './screen/device.ts'

/** What the terminal is asked for, and what ends it: pasted text is framed. */
const [framePastes, framePastesNoMore] = ['\u001b[?2004h', '\u001b[?2004l']

/** Talks at a terminal until the person leaves. Writing is possible before the agent is open. */
export async function runTerminalChat(cli: Cli, first: string, options: ChatOptions): Promise<void> {
  const leave = new AbortController()
  const left = new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve(), { once: true }))
  const raw = openRawInput(cli)
  const device = openDevice(cli)
  let opening: Promise<OpenTalk> | undefined
  const screen = createChatScreen({
    ...{ device, colour: cli.colour, clock: systemClock },
    history: openHistory(join(openHomeOf(cli).files.cache, 'chat-history'), () => undefined),
    complete: async (before) => (await opening?.catch(() => undefined))?.complete(before),
    onLeave: () => leave.abort(),
    suspend: () => raw.suspend(() => screen.refresh()),
  })
  const keys = openKeys(screen.take)
  cli.input.on('data', keys.take).on('end', () => leave.abort())
  cli.signal.addEventListener('abort', () => leave.abort(), { once: true })
  let opened: OpenTalk | undefined
  try {
    opening = openBehind({ ...cli, note: screen.audience.note }, screen.audience, device.columns, options)
    opened = await opening
    screen.attach(opened.talk, opened.view, first)
    await left
  } finally {
    cli.input.off('data', keys.take)
    // What it says at its end is still seen.
    await opened?.talk.close()
    screen.close()
    keys.close()
    raw.close()
    if (opened?.talk.hasSession()) cli.note(paint(cli, 'dim', 'agent chat -c goes on with this conversation.'))
    await opened?.close()
  }
}

/** What the agent is made of is read only now: the line is there before. */
async function openBehind(...given: Parameters<typeof import('./open-talk.ts')['openTalk']>): Promise<OpenTalk> {
  const { openTalk } = await import('./open-talk.ts')
  return openTalk(...given)
}

interface RawInput {
  suspend(onBack: () => void): void
  close(): void
}

/** Takes each key as it comes. */
function openRawInput(cli: Pick<Cli, 'input' | 'steer'>): RawInput {
  const { input } = cli
  const set = (raw: boolean): void => {
    if ('setRawMode' in input && typeof input.setRawMode === 'function') input.setRawMode(raw)
    cli.steer(raw ? framePastes : framePastesNoMore)
  }
  set(true)
  input.resume()
  return {
    suspend: (onBack) => {
      set(false)
      process.once('SIGCONT', () => {
        set(true)
        onBack()
      })
      process.kill(process.pid, 'SIGTSTP')
    },
    close: () => {
      set(false)
      input.pause()
    },
  }
}
