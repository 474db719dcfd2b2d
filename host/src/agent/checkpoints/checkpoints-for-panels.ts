import type { Panel } from '@agent/plugin-sdk'
import type { Checkpoints } from '#checkpoints/checkpoints.ts'
import type { Sessions } from '#store/sessions.ts'

type PanelCheckpoints = Parameters<Panel['open']>[0]['checkpoints']

export interface PanelCheckpointsParts {
  readonly checkpoints: Pick<Checkpoints, 'enabled' | 'folders' | 'list' | 'total' | 'preview' | 'diff' | 'restore' | 'prune'>
  readonly sessions: Pick<Sessions, 'find'>
  /** Ends what still runs: a page that is left does not stop a rollback half-way. */
  readonly signal: AbortSignal
}

const mostFiles = 500
const longestDiff = 200_000

/** The checkpoints for a page of the dashboard: who sees that is the owner, who sees those of every folder of the profile. */
export function checkpointsForPanels({ checkpoints, sessions, signal }: PanelCheckpointsParts): PanelCheckpoints {
  return {
    list: async () => {
      const all: (Awaited<ReturnType<typeof checkpoints.list>>[number] & { readonly folder: string })[] = []
      // One after the other: each starts a git.
      for (const folder of checkpoints.folders()) for (const each of await checkpoints.list(folder, signal)) all.push({ folder, ...each })
      const titles = await titlesOf(new Set(all.map(({ session }) => session)), sessions)
      return {
        ...{ enabled: checkpoints.enabled(), bytes: await checkpoints.total(signal) },
        checkpoints: all
          .map(({ session, ...each }) => ({ ...each, session, title: titles.get(session) ?? '' }))
          .sort((one, other) => other.at - one.at),
      }
    },
    compare: async ({ folder, number }) => {
      const files = await checkpoints.preview(folder, number, signal)
      const edited = files.filter((file) => file.edited).length
      return { total: files.length, edited, files: files.slice(0, mostFiles) }
    },
    diff: async ({ folder, number, path }) => {
      const text = await checkpoints.diff(folder, number, signal, path)
      const more = `\n… agent checkpoints diff ${number} --folder ${JSON.stringify(folder)} shows all of it.`
      return text.length > longestDiff ? `${text.slice(0, longestDiff)}${more}` : text
    },
    restore: async ({ folder, number, path, edited }) => {
      const again = `agent checkpoints restore ${number} --all --folder ${JSON.stringify(folder)}`
      const done = await checkpoints.restore(folder, { number, path, all: edited === true, session: '', again }, signal)
      const { restored, removed, left, undo } = done
      return { restored, removed, left: left.slice(0, mostFiles), ...(undo === undefined ? {} : { undo }) }
    },
    prune: () => checkpoints.prune(signal),
  }
}

/** By session; a rollback from a page is of none, and a session may be gone. */
async function titlesOf(ids: ReadonlySet<string>, sessions: Pick<Sessions, 'find'>): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...ids].filter((id) => id !== '').map((id) => sessions.find(id)))
  return new Map(found.flatMap((session) => (session?.title ? [[session.id, session.title] as const] : [])))
}
