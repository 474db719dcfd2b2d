import type { InboundMessage } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { parseSlash, type SlashDoor, type SlashServices } from '#commands/slash.ts'
import { slashTable } from '#commands/slash-table.ts'

export interface CommandOptions {
  readonly services: SlashServices
  readonly sessionKey: string
}

/** What a slash command answers, or undefined when the message is no command. An unknown one is text for the agent. */
export async function answerCommand(message: InboundMessage, { services, sessionKey }: CommandOptions): Promise<string | undefined> {
  const parsed = parseSlash(message.text, slashTable, 'gateway')
  if (parsed.type !== 'command') return undefined
  const said: string[] = []
  const session = await services.sessions.byKey(sessionKey)
  const door: SlashDoor = {
    surface: 'gateway',
    say: (text) => said.push(text),
    session: () => session?.id,
    startNew: async () => {
      if (session) await services.sessions.end(session.id, 'new')
    },
    interrupt: () => false,
    keepTitle: () => undefined,
    reasoning: () => ({ effort: undefined, show: false }),
    setReasoning: () => undefined,
  }
  try {
    await parsed.command.run({ args: parsed.args, door, services })
  } catch (error) {
    if (!isAgentError(error)) throw error
    said.push(error.message)
  }
  return said.join('\n')
}
