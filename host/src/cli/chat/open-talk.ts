import { homedir } from 'node:os'
import type { OpenAgent } from '#agent/open-agent.ts'
import { readVersion } from '#config/version.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import { createSlashServices } from '#rpc/slash/slash-services.ts'
import { shortenHome } from '#tools/shell/expand-home.ts'
import type { Cli } from '../console/cli.ts'
import { completeWith } from './completion/complete-with.ts'
import type { ChatOptions } from './conversation/chat-options.ts'
import { createConversation, type Talk } from './conversation/conversation.ts'
import { chosenNow, findChatSession, openChat, readWish } from './conversation/open-chat.ts'
import { recall } from './conversation/recall.ts'
import type { Audience } from './conversation/talk.ts'
import type { Complete } from './input/menu.ts'
import type { TurnView } from './render/contract.ts'
import { createTurnView } from './render/turn-view.ts'

/** A conversation at a terminal, with what its screen needs to show it. */
export interface OpenTalk {
  readonly talk: Talk
  readonly view: TurnView
  readonly complete: Complete
  close(): Promise<void>
}

/** Opens the agent and says who answers, in which session and where. */
export async function openTalk(cli: Cli, audience: Audience, columns: () => number, options: ChatOptions): Promise<OpenTalk> {
  const agent = await openChat(cli, options)
  try {
    const session = await findChatSession(cli, agent, options)
    await greet(cli, agent, { ...options, session: session && 'id' in session ? session.id : undefined })
    const services = createSlashServices(cli, agent)
    const wish = await readWish(agent, options)
    const talk = createConversation({ agent, services, session, audience, canAnswer: true, wish, folder: cli.cwd })
    const deaf = agent.onNotice(({ text }) => audience.note(text))
    return {
      talk,
      view: createTurnView({ columns, colour: cli.colour, showReasoning: () => talk.reasoning().show }),
      complete: completeWith(agent, cli.cwd),
      close: async () => {
        deaf()
        await talk.close()
        await agent.close()
      },
    }
  } catch (error) {
    await agent.close()
    throw error
  }
}

async function greet(cli: Cli, agent: OpenAgent, options: ChatOptions & { readonly session: string | undefined }): Promise<void> {
  const found = options.session === undefined ? undefined : await agent.store.sessions.find(options.session)
  const model = chosenNow(agent, options)
  const about = [
    `agent ${readVersion(cli.installRoot)}`,
    model ? `${model.provider}/${model.model}` : 'no model is configured',
    found ? `session ${found.title ? `"${found.title}"` : found.id}` : 'new session',
    shortenHome(cli.cwd, homedir()),
  ]
  const advice = model?.implicit
    ? ['The offline model answers, which understands a few requests (say help). agent setup model chooses another.']
    : []
  cli.note([about.join(' · '), ...advice, '/help lists the commands, Esc interrupts, /exit leaves.'].join('\n'))
  if (found) cli.note(await recall(agent.store.sessions, found))
  void tellSandbox(cli, agent)
}

/** Where commands run is only worth a word where that is not in a sandbox. */
async function tellSandbox({ note }: Cli, agent: OpenAgent): Promise<void> {
  const { sandbox } = agent.loaded.config.terminal
  if (sandbox === 'off') return
  const level = await agent.sandbox.level()
  if (!level.works) note(describeSandbox(level, sandbox))
}
