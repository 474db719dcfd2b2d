import { fail } from '../../contract/errors.ts'
import type { PanelHost } from '../../contract/panel.ts'

/** The log and the toolsets of the tests, for a panel whose manifest asks for them. */
export function createPanelVerbs(need: (verb: 'logs' | 'toolsets') => void): Pick<PanelHost, 'changed' | 'logs' | 'toolsets'> {
  const enabled = { talk: true, paint: false }
  const isKnown = (id: string): id is keyof typeof enabled => Object.hasOwn(enabled, id)
  const tools = [{ name: 'say', description: 'Says it.' }]
  return {
    changed: () => undefined,
    logs: {
      read: async ({ count, level }) => {
        need('logs')
        const lines = [
          { at: 1_700_000_000_000, level: 'info', text: 'agent: it began' },
          { at: 1_700_000_060_000, level: 'warn', text: 'agent: it is slow' },
          { level: '', text: 'of another program' },
        ]
        return { lines: lines.filter((line) => level === undefined || level === 'info' || line.level === level).slice(-count) }
      },
    },
    toolsets: {
      list: async () => {
        need('toolsets')
        return [
          { id: 'talk', description: 'Talks.', enabled: enabled.talk, setUp: 'Learn the words.', tools },
          { id: 'paint', description: 'Paints.', enabled: enabled.paint, problem: 'no brush is ready', tools: [] },
        ]
      },
      turn: async (id, to) => {
        need('toolsets')
        if (!isKnown(id)) throw fail('PLUGIN_NOT_FOUND', { id })
        enabled[id] = to === 'on'
        return [`${id} is ${to}.`]
      },
      setUp: async (id) => {
        need('toolsets')
        if (!isKnown(id)) throw fail('PLUGIN_NOT_FOUND', { id })
        return [`${id} is set up.`]
      },
    },
  }
}
