import type { ArgsOf, MemoryBlock, MemoryChange, MemoryHit, ToolResult, ToolRun, Toolset } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

type Change = ArgsOf<typeof tools, 'memory'>

const toolset: Toolset = {
  async open() {
    const change: ToolRun<Change> = ({ args, memory }) =>
      answer(async () => {
        const done = await requireMemory(memory).change(readChange(args))
        return 'waits' in done
          ? `It waits for the approval of a person as ${done.waits}; until then it is not remembered.`
          : describe(done.block)
      })
    const recall: ToolRun<ArgsOf<typeof tools, 'recall'>> = ({ args, memory }) =>
      answer(async () => (await requireMemory(memory).recall(args.query)).map(formatHit).join('\n\n') || 'Nothing that fits is remembered.')
    return { tools: { memory: change, recall } }
  },
}

export default toolset

function requireMemory<T>(memory: T | undefined): T {
  if (memory !== undefined) return memory
  throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-memory', access: 'memory', field: '"memory" in permissions.host' })
}

function readChange({ action, target, content = '', old_text: old = '' }: Change): MemoryChange {
  const missing = action !== 'remove' && content.trim() === '' ? 'content' : action !== 'add' && old.trim() === '' ? 'old_text' : undefined
  if (missing !== undefined) throw fail('TOOL_ARGUMENTS', { tool: 'memory', problem: `${action} needs ${missing}` })
  if (action === 'add') return { action, target, text: content }
  return action === 'replace' ? { action, target, old, text: content } : { action, target, old }
}

function describe({ target, entries, limit }: MemoryBlock): string {
  const used = [...entries.join('\n§\n')].length
  return `${target} has ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'} now, ${used} of ${limit} characters. Later sessions begin with it.`
}

function formatHit({ text, at, session, title }: MemoryHit): string {
  const day = at === undefined ? '' : new Date(at).toISOString().slice(0, 10)
  const about = [day, title, session].filter((each) => each !== undefined && each !== '').join(', ')
  return about === '' ? text : `[${about}]\n${text}`
}

async function answer(work: () => Promise<string>): Promise<ToolResult> {
  try {
    return { ok: true, text: await work() }
  } catch (error) {
    return { ok: false, error: toWireError(error) }
  }
}
