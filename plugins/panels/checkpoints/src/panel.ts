import type { Panel, PanelAnswer, PanelRecord, PanelRequest } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { formatItem, parseItem } from './item.ts'

type Host = Parameters<Panel['open']>[0]['checkpoints']
type Checkpoint = Awaited<ReturnType<Host['list']>>['checkpoints'][number]
type Compared = Awaited<ReturnType<Host['compare']>>
type Differing = Compared['files'][number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const mostRows = 1000

const panel: Panel = {
  async open({ checkpoints, changed }) {
    const goBack = (agrees: boolean): Method => {
      return async ({ item = '' }) => {
        const { folder, number } = parseItem(item)
        try {
          return { said: sayRestored(number, await checkpoints.restore({ folder, number, edited: agrees })) }
        } catch (error) {
          // Somebody edited a file while the page was looked at: it is drawn again, with the other button.
          changed()
          throw named(error)
        }
      }
    }
    const methods: Readonly<Record<string, Method>> = {
      state: async () => ({ item: showState(await checkpoints.list()) }),
      checkpoints: async ({ input }) => {
        const words = String(input.find).trim().toLowerCase()
        const rows = (await checkpoints.list()).checkpoints.map(showCheckpoint)
        const found = rows.filter(({ folder, session }) => `${folder} ${session}`.toLowerCase().includes(words))
        return { rows: found.slice(0, mostRows) }
      },
      checkpoint: async ({ item = '' }) => {
        const { folder, number } = parseItem(item)
        // It says why where there is none.
        const compared = await checkpoints.compare({ folder, number })
        const found = (await checkpoints.list()).checkpoints.find((each) => each.folder === folder && each.number === number)
        return { item: { ...(found ? showCheckpoint(found) : { folder, number }), ...showDifference(compared) } }
      },
      files: async ({ item = '' }) => {
        const { folder, number } = parseItem(item)
        const { files } = await checkpoints.compare({ folder, number })
        return { rows: files.map((file) => ({ ...showFile(file), item: formatItem({ folder, number, path: file.path }) })) }
      },
      file: async ({ item = '' }) => {
        const { folder, number, path = '' } = parseItem(item)
        const { files } = await checkpoints.compare({ folder, number })
        const found = files.find((file) => file.path === path)
        return { item: { folder, number, path, ...(found ? { ...showFile(found), differs: found.rollback !== 'leave' } : {}) } }
      },
      diff: async ({ item = '' }) => ({ text: fenced(await checkpoints.diff(parseFile(item))) }),
      restore: goBack(false),
      restoreEdited: goBack(true),
      restoreFile: async ({ item = '' }) => {
        const meant = parseFile(item)
        return { said: sayRestored(meant.number, await checkpoints.restore({ ...meant, edited: true })) }
      },
      prune: async () => {
        const gone = await checkpoints.prune()
        return {
          said:
            gone === 0 ? 'No checkpoint is too old or too much.' : `${count(gone, 'checkpoint')} ${gone === 1 ? 'is' : 'are'} forgotten.`,
        }
      },
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

/** An item of one file: nothing that is said of a file holds for a whole folder. */
function parseFile(item: string): Required<ReturnType<typeof parseItem>> {
  const { path, ...where } = parseItem(item)
  if (path === undefined) throw fail('USAGE', { problem: `"${item}" names no file.`, try: 'Open one, from the list of files' })
  return { ...where, path }
}

/** Names the button of this page in place of a command. */
function named(error: unknown): unknown {
  if (!isAgentError(error, 'CHECKPOINT_EDITED')) return error
  const { files, number } = error.params
  const again = '"Go back, and undo what was edited by hand"'
  return fail('CHECKPOINT_EDITED', { files: String(files), number: Number(number), again }, { cause: error })
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`

function showState({ enabled, bytes, checkpoints }: Awaited<ReturnType<Host['list']>>): PanelRecord {
  const some = { count: checkpoints.length, bytes, hasSome: checkpoints.length > 0 }
  if (enabled) return { state: 'made before the agent changes files', ...some }
  return { state: 'not made', how: 'agent config set checkpoints.enabled true', ...some }
}

function showCheckpoint({ folder, number, at, kind, session, title, changed }: Checkpoint): PanelRecord {
  const before =
    changed === null
      ? 'a turn that goes on, or was cut off'
      : `a ${kind === 'turn' ? 'turn' : 'rollback'} that changed ${count(changed, 'file')}`
  return { folder, number, at, before, session: title || session, item: formatItem({ folder, number }) }
}

function showDifference({ total, edited, files }: Compared): PanelRecord {
  const shown = total > files.length ? `${count(total, 'file')}, of which ${files.length} are listed` : count(total, 'file')
  const warning = edited === 0 ? '' : `${count(edited, 'file')} of these; going back takes that too, so it asks for it`
  const changes = files.some(({ rollback }) => rollback !== 'leave')
  return { differs: total === 0 ? 'nothing' : shown, warning, isPlain: edited === 0 && changes, hasEdited: edited > 0 }
}

const since = { made: 'it was made', deleted: 'it was deleted', changed: 'it was changed' } as const
const rollbacks = { restore: 'brings back what it was', delete: 'deletes it', leave: 'leaves it as it is' } as const

function showFile({ path, since: what, rollback, edited }: Differing): PanelRecord {
  return { path, since: since[what], rollback: rollbacks[rollback], by: edited ? 'by hand' : '' }
}

function sayRestored(number: number, { restored, removed, left, undo }: Awaited<ReturnType<Host['restore']>>): string {
  const why = 'because the agent did not make them or no checkpoint holds what stands there'
  const rest = left.length === 0 ? '' : ` ${count(left.length, 'file')} ${left.length === 1 ? 'is' : 'are'} left as they are, ${why}.`
  if (undo === undefined) return `Nothing was changed: all is as it was at checkpoint ${number}.${rest}`
  return `Back at checkpoint ${number}: ${count(restored, 'file')} restored, ${removed} deleted. Checkpoint ${undo} takes this back.${rest}`
}

/** A patch may hold a fence too. */
function fenced(patch: string): string {
  if (patch === '') return 'Nothing has changed since.'
  const longest = Math.max(2, ...[...patch.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}diff\n${patch.trimEnd()}\n${fence}`
}
