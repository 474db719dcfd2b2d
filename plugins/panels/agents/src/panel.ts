import type { Panel, PanelAnswer, PanelRecord, PanelRequest } from '@agent/plugin-sdk'

type Agent = Awaited<ReturnType<Parameters<Panel['open']>[0]['agents']['list']>>[number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

const panel: Panel = {
  async open({ agents }) {
    const methods: Readonly<Record<string, Method>> = {
      agents: async () => ({ rows: inTree(await agents.list()) }),
      stop: async ({ item = '' }) => {
        await agents.stop(item)
        return { said: 'It is told to stop.' }
      },
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

/** Those of one parent below each other, and those of a child below that child. */
function inTree(all: readonly Agent[]): readonly PanelRecord[] {
  const known = new Set(all.map(({ session }) => session))
  const below = (parent: string, depth: number): readonly PanelRecord[] =>
    all.filter((agent) => agent.parent === parent).flatMap((agent) => [show(agent, depth), ...below(agent.session, depth + 1)])
  const parents = new Set(all.map(({ parent }) => parent).filter((parent) => !known.has(parent)))
  return [...parents].flatMap((parent) => below(parent, 0))
}

const longestTask = 160

function show({ session, parent, title, task, state, doing, calls, model, tokens, startedAt }: Agent, depth: number): PanelRecord {
  const line = task.replaceAll(/\s+/g, ' ').slice(0, longestTask)
  return {
    ...{ id: session, state, model, tokens, startedAt, isWorking: state === 'works' },
    task: depth === 0 ? line : `${'· '.repeat(depth)}${line}`,
    for: title || parent,
    doing: doing === '' ? '' : `${doing} (call ${calls})`,
  }
}
