import type { ApprovalChoice, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { ApprovalMode, ToolTurn } from '../tool-turn.ts'
import type { Danger } from './dangers.ts'

export interface ApprovalQuestion {
  readonly tool: string
  /** The command or path, secrets masked. */
  readonly subject: string
  readonly dangers: readonly Danger[]
  /** Where the command runs; absent where it is no command. */
  readonly where?: 'sandbox' | 'machine'
  /** The folder in which it starts, with `~` for the user's own. */
  readonly folder?: string
  /** What was refused before in this turn and is much like this. */
  readonly refused?: string
  /** Whether these names let the same call through when it comes again. */
  prove(names: readonly string[]): Promise<boolean>
  onDenied(): void
}

/** What a model says about a danger; `ask` leaves it to a person. */
export type DangerJudge = (
  danger: { readonly tool: string; readonly subject: string; readonly reason: string },
  turn: Pick<ToolTurn, 'signal' | 'served'>,
) => Promise<'allow' | 'deny' | 'ask'>

export interface ConsentOptions {
  /** Holds for turns that say nothing about it. */
  readonly mode: ApprovalMode
  /** Names of danger categories that need no question. */
  readonly allowlist: readonly string[]
  /** Asked in the mode `smart`, before a person is. */
  readonly judge: DangerJudge
  /** Adds categories to the permanent list. */
  readonly allowAlways: (names: readonly string[]) => Promise<void>
  readonly log: Log
}

const choices = ['once', 'session', 'always', 'deny'] as const satisfies readonly ApprovalChoice[]

/** Resolves when all dangers of a question are allowed, by settings or by a person; rejects with APPROVAL_DENIED. */
export function createConsent(options: ConsentOptions): (question: ApprovalQuestion, turn: ToolTurn) => Promise<void> {
  const always = new Set(options.allowlist)

  async function remember(choice: ApprovalChoice, names: readonly string[], turn: ToolTurn): Promise<void> {
    if (choice === 'session') for (const name of names) turn.approved.add(name)
    if (choice !== 'always') return
    for (const name of names) always.add(name)
    await options.allowAlways(names)
  }

  const modeOf = ({ approvals }: ToolTurn): ApprovalMode => approvals?.() ?? options.mode
  const isSaid = ({ name }: Danger, turn: ToolTurn): boolean => always.has(name) || turn.approved.has(name)
  const isOpen = (danger: Danger, turn: ToolTurn): boolean =>
    !isSaid(danger, turn) && (modeOf(turn) !== 'off' || danger.onlyPeople === true)

  async function askModel({ tool, subject, refused }: ApprovalQuestion, open: readonly Danger[], reason: string, turn: ToolTurn) {
    const isForPeople = modeOf(turn) !== 'smart' || refused !== undefined || open.some(({ onlyPeople }) => onlyPeople)
    return isForPeople ? 'ask' : options.judge({ tool, subject, reason }, turn)
  }

  return async (question, turn) => {
    const open = question.dangers.filter((danger) => isOpen(danger, turn))
    if (open.length === 0) return
    const { tool, subject, refused, where, folder } = question
    const reason = reasonOf(open, refused)
    const names = open.map(({ name }) => name)
    const denied = (setting: string): Error => {
      question.onDenied()
      return fail('APPROVAL_DENIED', { subject, reason, setting })
    }
    const verdict = await askModel(question, open, reason, turn)
    if (verdict === 'allow') return
    if (verdict === 'deny') throw denied('The model that judges commands (approvals.mode: smart) said no.')
    if (!turn.canAnswer) throw denied(`Nobody can answer here. ${settingFor(names)}`)
    // A rule is offered only when it holds for the same call in other words.
    const isProven = await question.prove([...always, ...turn.approved, ...names])
    const offered = isProven ? choices : choices.filter((choice) => choice !== 'always')
    const choice = await turn
      .approve({ tool, subject, reason, rule: names.join(', '), ...(where && { where }), ...(folder && { folder }), choices: offered })
      .catch((error: unknown) => {
        // No answer in time is a no.
        if (isAgentError(error, 'TIMED_OUT'))
          throw denied(`Nobody answered within ${Number(error.params.ms) / 1000} s (approvals.timeout).`)
        throw error
      })
    if (choice === 'deny') throw denied('The person who was asked said no.')
    await remember(choice, names, turn)
  }
}

const reasonOf = (open: readonly Danger[], refused: string | undefined): string =>
  [...open.map(({ sentence }) => sentence), ...(refused === undefined ? [] : [`you refused in this turn: ${refused}`])].join('; ')

const settingFor = (names: readonly string[]): string => `command_allowlist: [${names.join(', ')}] in config.yaml allows it everywhere.`
