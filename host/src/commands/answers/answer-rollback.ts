import { fail } from '@agent/plugin-sdk/errors'
import type { Checkpoint, Checkpoints } from '#checkpoints/checkpoints.ts'
import type { RolledBack } from '#checkpoints/rollback/roll-back.ts'
import { formatMinute } from './format-minute.ts'

export type RollbackDesk = Pick<Checkpoints, 'enabled' | 'workspace' | 'list' | 'diff' | 'restore'>

export interface RollbackAsk {
  /** What was said behind the name of the command. */
  readonly args: string
  readonly session: string
  readonly signal: AbortSignal
}

/** What /rollback answers: the list, a comparison, or what was brought back. */
export async function answerRollback(desk: RollbackDesk, { args, session, signal }: RollbackAsk): Promise<string> {
  const { workspace } = desk
  const [, verb = '', first = '', rest = ''] = /^(?:(diff|file)\s+)?(\S*)\s*([\s\S]*)$/i.exec(args.trim()) ?? []
  if (args.trim() === '') return formatCheckpoints(await desk.list(workspace, signal), desk)
  const number = readNumber(first)
  if (verb.toLowerCase() === 'diff') {
    if (rest !== '') throw usage(`"${rest}" is too much.`, `/rollback diff ${number}`)
    return formatDiff(await desk.diff(workspace, number, signal), number)
  }
  if (verb.toLowerCase() === 'file') {
    if (rest === '') throw usage('Say which file is meant, as it lies below the folder.', `/rollback file ${number} notes/plan.md`)
    // Who names a file means this one, also where a person has changed it; what it was is kept too.
    return formatRolledBack(await desk.restore(workspace, { number, path: rest, all: true, session, again: '' }, signal))
  }
  if (rest !== '' && rest.toLowerCase() !== 'all') throw usage(`"${rest}" is neither all nor nothing.`, `/rollback ${number} all`)
  const again = `/rollback ${number} all`
  return formatRolledBack(await desk.restore(workspace, { number, all: rest !== '', session, again }, signal))
}

const usage = (problem: string, instead: string): Error => fail('USAGE', { problem, try: instead })

/** The number of a checkpoint, as a person writes it. */
export function readNumber(word: string, instead = '/rollback'): number {
  if (!/^[1-9]\d{0,8}$/.test(word)) throw usage(`"${word}" is no number of a checkpoint.`, instead)
  return Number(word)
}

function formatCheckpoints(found: readonly Checkpoint[], { enabled, workspace }: RollbackDesk): string {
  if (found.length > 0) {
    const lines = found.map((each) => `${each.number}  ${formatMinute(each.at)}  ${describeCheckpoint(each)}`)
    return [...lines, '/rollback NUMBER goes back to how everything was before it; /rollback diff NUMBER shows what that would undo.'].join(
      '\n',
    )
  }
  const how = enabled()
    ? 'The agent makes one before it changes files.'
    : 'agent config set checkpoints.enabled true makes the agent keep them.'
  return `There are no checkpoints of ${workspace}. ${how}`
}

/** What came after a checkpoint. */
export function describeCheckpoint({ kind, changed }: Pick<Checkpoint, 'kind' | 'changed'>): string {
  if (changed === null) return 'a turn that goes on, or was cut off'
  return `${kind === 'turn' ? 'a turn' : 'a rollback'} that changed ${countFiles(changed)}`
}

const countFiles = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`

/** What a rollback has done, and how it is taken back. */
export function formatRolledBack({ number, at, restored, removed, left, undo }: RolledBack, undoWith = '/rollback'): string {
  const lines = [
    undo === undefined
      ? `Nothing was changed: all is as it was at checkpoint ${number}.`
      : `Back at checkpoint ${number} of ${formatMinute(at)}: ${countFiles(restored)} restored, ${removed} deleted. ${undoWith} ${undo} takes this back.`,
  ]
  if (left.length > 0) {
    const named = left.slice(0, 10).map((path) => JSON.stringify(path))
    const more = left.length > named.length ? [`and ${left.length - named.length} more`] : []
    lines.push(
      `Left as they are, because the agent did not make them or no checkpoint holds what stands there: ${[...named, ...more].join(', ')}`,
    )
  }
  return lines.join('\n')
}

const longestDiff = 12_000

function formatDiff(diff: string, number: number): string {
  if (diff === '') return `Nothing has changed since checkpoint ${number}.`
  if (diff.length <= longestDiff) return diff.trimEnd()
  return `${diff.slice(0, longestDiff)}\n… agent checkpoints diff ${number} shows all of it.`
}
