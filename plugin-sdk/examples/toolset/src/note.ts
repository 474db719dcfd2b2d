import type { ArgsOf, State, ToolRun } from '@agent/plugin-sdk'
import type { tools } from './tools.ts'

/** Keeps notes by session. A failure is a result with a sentence for the model, never an exception. */
export function createNote(state: State, most: number): ToolRun<ArgsOf<typeof tools, 'sample_note'>> {
  return async ({ args, session }) => {
    const key = `notes/${session}`
    const before = ((await state.get(key)) ?? []) as readonly string[]
    if (args.text === undefined) return { ok: true, text: describe(before), data: before }
    const text = args.text.trim()
    if (text === '') return { ok: false, error: { code: 'TOOL_ARGUMENTS', params: { tool: 'sample_note', problem: 'the text is blank' } } }
    const notes = [...before, text].slice(-most)
    await state.set(key, notes)
    return { ok: true, text: describe(notes), data: notes }
  }
}

function describe(notes: readonly string[]): string {
  return notes.length === 0 ? 'There are no notes.' : notes.join('\n')
}
