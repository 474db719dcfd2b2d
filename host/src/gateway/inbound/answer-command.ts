import type { InboundMessage } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { type ChatDoor, parseSlash, type SlashCommand, type SlashDoor, type SlashServices } from '#commands/slash.ts'
import { slashTable } from '#commands/slash-table.ts'

export interface CommandOptions {
  readonly services: SlashServices
  readonly sessionKey: string
  readonly chat: Omit<ChatDoor, 'startBackground'>
  /** Interrupts what is answered in this session; false when nothing is. The session that it leaves behind is over where that is asked for. */
  readonly interrupt: (how: { readonly endSession: boolean }) => boolean
}

/** What came of a command: something to say, something to work on beside the conversation, or both. */
export interface CommandOutcome {
  readonly said: string
  readonly background?: string
}

/** The command in a message; undefined when it is none. An unknown one is text for the agent. */
export function findCommand(message: InboundMessage): { readonly command: SlashCommand; readonly args: string } | undefined {
  const parsed = parseSlash(message.text, slashTable, 'gateway')
  return parsed.type === 'command' ? parsed : undefined
}

/** What a slash command answers, or undefined when the message is no command. */
export async function answerCommand(message: InboundMessage, options: CommandOptions): Promise<CommandOutcome | undefined> {
  const found = findCommand(message)
  if (!found) return undefined
  const { services, sessionKey, chat } = options
  if (!chat.mayUse(found.command)) return { said: `/${found.command.name} is not for you here. /help lists what is.` }
  const said: string[] = []
  let background: string | undefined
  const session = await services.sessions.byKey(sessionKey)
  let after = (): void => undefined
  const door: SlashDoor = {
    surface: 'gateway',
    say: (text) => said.push(text),
    session: () => session?.id,
    startNew: async () => {
      if (session) await services.sessions.end(session.id, 'new')
      after = () => void options.interrupt({ endSession: true })
    },
    interrupt: () => options.interrupt({ endSession: false }),
    keepTitle: () => false,
    reasoning: () => ({ effort: undefined, show: false }),
    setReasoning: () => undefined,
    chat: { ...chat, startBackground: (prompt) => (background = prompt) },
  }
  try {
    await found.command.run({ args: found.args, door, services })
  } catch (error) {
    if (!isAgentError(error)) throw error
    said.push(error.message)
  }
  after()
  return { said: said.join('\n'), ...(background === undefined ? {} : { background }) }
}
