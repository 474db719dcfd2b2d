import { homedir } from 'node:os'
import { join } from 'node:path'
import type { OpenAgent } from '#agent/open-agent.ts'
import { offeredCommands } from '#commands/slash-table.ts'
import { systemClock } from '#kernel/clock.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { type Cli, paint } from '../console/cli.ts'
import { openCliHome } from '../home/open-cli-home.ts'
import { createSlashServices } from '../home/slash-services.ts'
import { type ChatScreen, createChatScreen } from './chat-screen.ts'
import { createComplete } from './completion/complete.ts'
import type { ChatOptions } from './conversation/chat-options.ts'
import { createConversation, type Talk } from './conversation/conversation.ts'
import { chosenNow, findChatSession, openChat, readWish } from './conversation/open-chat.ts'
import { recall } from './conversation/recall.ts'
import { openHistory } from './input/history.ts'
import { openKeys } from './input/keys.ts'
import type { Complete } from './input/menu.ts'
import { openDevice } from './screen/device.ts'

/** What the terminal is asked for, and what ends it: pasted text is framed. */
const [framePastes, framePastesNoMore] = ['\u001b[?2004h', '\u001b[?2004l']

/** Talks at a terminal until the person leaves. Writing is possible before the agent is open. */
export async function runTerminalChat(cli: Cli, first: string, options: ChatOptions): Promise<void> {
  const leave = new AbortController()
  const left = new Promise<void>((resolve) => leave.signal.addEventListener('abort', () => resolve(), { once: true }))
  const raw = openRawInput(cli)
  let opening: Promise<OpenAgent> | undefined
  let agent: OpenAgent | undefined
  const screen = createChatScreen({
    ...{ device: openDevice(cli), colour: cli.colour, clock: systemClock },
    history: openHistory(join(openCliHome(cli).files.cache, 'chat-history'), () => undefined),
    complete: async (before) => {
      const opened = await opening?.catch(() => undefined)
      return opened && completeWith(opened, cli.cwd)(before)
    },
    onLeave: () => leave.abort(),
    suspend: () => raw.suspend(() => screen.refresh()),
  })
  const keys = openKeys(screen.take)
  cli.input.on('data', keys.take).on('end', () => leave.abort())
  cli.signal.addEventListener('abort', () => leave.abort(), { once: true })
  let conversation: Talk | undefined
  let deaf = (): void => undefined
  try {
    const rendering = import('./render/turn-view.ts')
    opening = openChat({ ...cli, note: screen.audience.note }, options)
    agent = await opening
    conversation = await openConversation({ ...cli, note: screen.audience.note }, agent, screen, options)
    deaf = agent.onNotice(({ text }) => screen.audience.note(text))
    screen.attach(conversation, first, (await rendering).createTurnView)
    await left
  } finally {
    deaf()
    cli.input.off('data', keys.take)
    await conversation?.close()
    screen.close()
    keys.close()
    raw.close()
    await agent?.close()
  }
}

async function openConversation(cli: Cli, agent: OpenAgent, { audience }: ChatScreen, options: ChatOptions): Promise<Talk> {
  const session = await findChatSession(cli, agent, options)
  const services = createSlashServices(cli, agent)
  const found = session && 'id' in session ? await agent.store.sessions.find(session.id) : undefined
  const model = chosenNow(agent, options)
  const about = [
    `agent ${services.version}`,
    model ? `${model.provider}/${model.model}` : 'no model is configured',
    found ? `session ${found.title ? `"${found.title}"` : found.id}` : 'new session',
    cli.cwd.replace(homedir(), '~'),
  ]
  audience.note(`${about.join(' · ')}\n/help lists the commands, Esc interrupts, /exit leaves.`)
  if (found) audience.note(await recall(agent.store.sessions, found))
  void tellSandbox(cli, agent)
  return createConversation({ agent, services, session, audience, canAnswer: true, wish: await readWish(agent, options) })
}

/** Where commands run is only worth a word where that is not in a sandbox. */
async function tellSandbox({ note, colour }: Cli, agent: OpenAgent): Promise<void> {
  const { sandbox } = agent.loaded.config.terminal
  if (sandbox === 'off') return
  const level = await agent.sandbox.level()
  if (!level.works) note(paint({ colour }, 'dim', describeSandbox(level, sandbox)))
}

/** So many sessions are offered. */
const offeredSessions = 50

function completeWith(agent: OpenAgent, folder: string): Complete {
  const { catalog, store, skills } = agent
  const idsOf = (kind: 'platform' | 'provider' | 'toolset') => catalog.of(kind).map(({ id }) => id)
  const sessions = () => store.sessions.list({ limit: offeredSessions })
  const sources: { readonly [word: string]: (() => Promise<readonly string[]>) | undefined } = {
    platform: async () => idsOf('platform'),
    provider: async () => idsOf('provider'),
    toolset: async () => idsOf('toolset'),
    session: async () => (await sessions()).map(({ id, title }) => title ?? id),
    // Others are known only to the providers, and nobody waits for them at a key.
    model: async () => [
      ...catalog.of('provider').flatMap(({ spec }) => spec.defaultModel ?? []),
      ...(await sessions()).map(({ model }) => model),
    ],
  }
  return createComplete({
    commands: () => offeredCommands(catalog, 'cli'),
    names: async (word) => (await sources[word]?.()) ?? [],
    skills: async () => (await skills.index()).skills.filter(({ offered }) => offered).map(({ name }) => name),
    folder,
  })
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
