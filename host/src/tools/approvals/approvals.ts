import type { ToolManifest, Wire } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { expandHome, shortenHome } from '../shell/expand-home.ts'
import type { ToolTurn } from '../tool-turn.ts'
import { guardedText, guardedValue, hasGuard } from './arguments.ts'
import { questionAbout } from './call-question.ts'
import { type ApprovalQuestion, type ConsentOptions, createConsent } from './consent.ts'
import type { Danger } from './dangers.ts'
import { createDenials, type Effects } from './denials.ts'
import { createJudge, type Guarded, type JudgeSettings, mask } from './judge-call.ts'
import { createLastingScripts, scriptCommand } from './lasting-scripts.ts'
import { createPathRules } from './path-rules.ts'
import { createSessionFacts } from './session-facts.ts'

export interface ApprovalOptions extends ConsentOptions, JudgeSettings {
  /** Whether commands run in a sandbox, unless a call asks for outside; absent: they do not. */
  readonly contained?: () => Promise<boolean>
}

export interface Approvals {
  /** Resolves when the call may run, with what was judged; rejects with the reason why it may not. */
  check(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<Cleared>
  /** Where the session's next call of this tool would start. */
  folderFor(tool: ToolManifest, args: Wire, turn: ToolTurn): Promise<string | undefined>
  /** A tool says where the session's next command starts. */
  moved(tool: ToolManifest, session: string, folder: string): void
  /** A call has succeeded. */
  succeeded(tool: ToolManifest, args: Wire, session: string): void
}

/** What was judged is what runs. */
export interface Cleared {
  /** Absent for tools that run no commands. */
  readonly folder: string | undefined
  /** With `~` at the beginning of guarded paths replaced by the user's folder. */
  readonly args: Wire
}

/** Enforces the guards of the manifests: the floor and the protected paths always, the danger categories as the settings say. */
export function createApprovals(options: ApprovalOptions): Approvals {
  const { userHome } = options
  const paths = createPathRules(options)
  const settle = createConsent(options)
  const facts = createSessionFacts(paths)
  const judge = createJudge(options, paths, facts)
  const scripts = createLastingScripts(judge, facts)
  const denials = createDenials()
  const shown = (text: string): string => mask(text, options.secrets())

  /** The same command must be let through by the rule when it comes again, in other spacing or after a `cd`. */
  async function isProven(names: readonly string[], guarded: Guarded, turn: ToolTurn): Promise<boolean> {
    if (guarded.as !== 'command') return true
    const again = [`  ${guarded.value.trim()} `, `cd . && ${guarded.value}`]
    const judged = await Promise.all(again.map((value) => judge({ ...guarded, value }, turn)))
    return judged.every(({ dangers }) => dangers.every(({ name }) => names.includes(name)))
  }

  function placeOf({ as, isContained, folder = '' }: Guarded, { workspace }: ToolTurn): Pick<ApprovalQuestion, 'where' | 'folder'> {
    if (as !== 'command') return {}
    return { where: isContained ? 'sandbox' : 'machine', folder: shown(shortenHome(folder || workspace, userHome)) }
  }

  async function clear(tool: ToolManifest, guarded: Guarded, outside: readonly Danger[], turn: ToolTurn): Promise<void> {
    const judged = await judge(guarded, turn)
    const effects: Effects = { text: shown(guarded.value), names: judged.names, paths: judged.paths }
    const repeated = denials.repeated(refusalsOf(turn), effects)
    const others = outside.filter(({ name }) => !judged.dangers.some((danger) => danger.name === name))
    const dangers = [...others, ...judged.dangers].map((danger) => ({ ...danger, sentence: shown(danger.sentence) }))
    const question = { tool: tool.name, subject: effects.text, dangers, ...placeOf(guarded, turn) }
    if (repeated?.sure) {
      const reason = `it does what was refused in this turn: ${repeated.text}`
      throw fail('APPROVAL_DENIED', { subject: effects.text, reason, setting: 'Say what you wanted to do and ask in words.' })
    }
    if (dangers.length > 0)
      await settle(
        {
          ...question,
          ...(repeated ? { refused: repeated.text } : {}),
          prove: (names) => isProven(names, guarded, turn),
          onDenied: () => denials.add(refusalsOf(turn), effects),
        },
        turn,
      )
    facts.wrote(
      turn.session,
      judged.paths.filter(({ use }) => use === 'write').map(({ path }) => path),
    )
  }

  return {
    async check(tool, args, turn) {
      const folder = await facts.folderOf(tool, args, turn)
      const isOutside = guardedValue(tool, 'outside', args) === true
      const isForSandbox = hasGuard(tool, 'script') || (hasGuard(tool, 'outside') && !isOutside)
      const isContained = isForSandbox && (await options.contained?.()) === true
      const earlier = await scripts.besideEarlier(tool, args, { isContained, turn })
      for (const { as, value } of guardedIn(tool, args)) {
        const outside = isOutside ? [outsideDanger(value, guardedText(tool, 'reason', args))] : []
        await clear(tool, { as, value, folder, isContained }, as === 'command' ? [...outside, ...earlier] : [], turn)
      }
      if (tool.asks !== undefined)
        await settle(questionAbout(tool, args, { turn: refusalsOf(turn), session: turn.session, denials, mask: shown }), turn)
      scripts.letIn(tool, args, turn.session)
      return { folder, args: withHome(tool, args, userHome) }
    },
    folderFor: facts.folderOf,
    moved: facts.moved,
    succeeded: scripts.succeeded,
  }
}

/** The arguments that have a guard and say something; a script as the command that runs it. */
function guardedIn(tool: ToolManifest, args: Wire): readonly Pick<Guarded, 'as' | 'value'>[] {
  const values = args as { readonly [key: string]: Wire | undefined }
  return tool.guards.flatMap(({ argument, as }): readonly Pick<Guarded, 'as' | 'value'>[] => {
    const value = values[argument]
    if (typeof value !== 'string' || value === '') return []
    return as === 'script' ? [{ as: 'command', value: scriptCommand(guardedText(tool, 'language', args), value) }] : [{ as, value }]
  })
}

/** What is refused one agent is refused to all that work for the same message. */
const refusalsOf = ({ turn, rootTurn = turn }: ToolTurn): string => rootTurn

/** `~` is resolved here, for judge and tool alike. */
function withHome({ guards }: ToolManifest, args: Wire, userHome: string): Wire {
  const values = args as { readonly [key: string]: Wire | undefined }
  const known = Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Wire] => entry[1] !== undefined))
  for (const { argument, as } of guards) {
    const value = known[argument]
    if ((as === 'read-path' || as === 'write-path') && typeof value === 'string') known[argument] = expandHome(value, userHome)
  }
  return known
}

/** Saved for this command alone, and no mode answers it. */
function outsideDanger(command: string, reason: string): Danger {
  const why = reason === '' ? 'no reason is given' : `the reason given: ${reason}`
  return {
    name: `outside: ${command.trim().replaceAll(/\s+/g, ' ')}`,
    sentence: `it runs outside of the sandbox (${why})`,
    harm: 'machine',
    onlyPeople: true,
  }
}
