import type { InboundMessage } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { AskedMore, ChatDoor, ParsedSlash, SlashCommand, SlashDoor, SlashServices } from '#commands/slash.ts'
import { findSlash } from '#commands/slash-table.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { JobPerson } from '#store/jobs.ts'
import { parseSessionKey } from '../rules/session-key.ts'
import { openEarlier } from './earlier-sessions.ts'
import type { ReasoningChoice } from './reasoning-choice.ts'

export interface AnswerCommandOptions {
  readonly services: SlashServices
  readonly sessionKey: string
  /** Whose memory the conversation may use. */
  readonly owner: string
  /** Who gave it. */
  readonly person?: JobPerson
  /** Waits for what a command does, until it is interrupted. */
  readonly run: SlashDoor['run']
  readonly chat: ChatDoor & Pick<SlashDoor, 'status'>
  readonly working: SlashDoor['working']
  /** Something is answered in this conversation now, or is about to be. */
  readonly isBusy: () => boolean
  readonly reasoning: ReasoningChoice
  /** Interrupts what is answered in this session; false when nothing is. The session that it leaves behind is over where that is asked for. */
  readonly interrupt: (how: { readonly endSession: boolean }) => boolean
}

/** What came of a command: something to say, something to ask the agent, here or beside the conversation. */
export interface CommandOutcome {
  readonly said: string
  readonly asked?: AskedMore & { readonly text: string }
  readonly background?: string
}

/** Where commands come from. */
export interface CommandGround {
  readonly catalog: Pick<Catalog, 'of'>
  readonly services: Pick<SlashServices, 'skills'>
}

/** The command in a message; undefined when it is none. */
export function findCommand({ catalog, services }: CommandGround, { text }: Pick<InboundMessage, 'text'>): ParsedSlash | undefined {
  return findSlash({ catalog, skills: services.skills }, text, 'gateway')
}

/** Later answers come back to the conversation of the command. */
function originOf(key: string, person: JobPerson | undefined): Pick<SlashDoor, 'origin'> {
  const place = parseSessionKey(key)
  return place ? { origin: { door: place.platform, key, ...(person ? { people: [person] } : {}) } } : {}
}

function refuse({ name, adminOnly }: SlashCommand): string {
  const who = adminOnly ? `/${name} is for admins here, who stand in allow_admin_from of the settings.` : `/${name} is not for you here.`
  return `${who} /help lists what is for you.`
}

/** What a slash command answers. */
export async function answerCommand(found: ParsedSlash, options: AnswerCommandOptions): Promise<CommandOutcome> {
  const { services, sessionKey, chat } = options
  if (!chat.mayUse(found.command)) return { said: refuse(found.command) }
  const said: string[] = []
  let asked: CommandOutcome['asked']
  let background: string | undefined
  const session = await services.sessions.byKey(sessionKey)
  const reasoning = await options.reasoning.of(sessionKey)
  let after = (): void => undefined
  const door: SlashDoor = {
    surface: 'gateway',
    owner: options.owner,
    ...originOf(sessionKey, options.person),
    status: chat.status,
    say: (text) => said.push(text),
    session: () => session?.id,
    working: options.working,
    startNew: async () => {
      if (session) await services.sessions.end(session.id, 'new')
      after = () => void options.interrupt({ endSession: true })
    },
    interrupt: () => options.interrupt({ endSession: false }),
    keepTitle: () => false,
    reasoning: () => reasoning,
    setReasoning: (setting) => options.reasoning.keep(sessionKey, setting),
    ask: (text, more) => {
      asked = { text, ...more }
    },
    run: options.run,
    startBackground: (prompt) => {
      background = prompt
    },
    earlier: openEarlier(options),
    chat,
  }
  try {
    await found.command.run({ args: found.args, door, services })
  } catch (error) {
    if (!isAgentError(error)) throw error
    said.push(error.message)
  }
  after()
  return { said: said.join('\n'), ...(asked === undefined ? {} : { asked }), ...(background === undefined ? {} : { background }) }
}
