import type { ArgsOf, ToolRun } from '@agent/plugin-sdk'
import { toWireError } from '@agent/plugin-sdk/errors'
import type { tools } from './tools.ts'

/** The `clarify` tool. Where nobody can answer, the model is told and goes on by itself. */
export const clarify: ToolRun<ArgsOf<typeof tools, 'clarify'>> = async ({ args, ask }) => {
  const choices = [...new Set(args.choices.map((choice) => choice.trim()).filter((choice) => choice !== ''))]
  try {
    const answer = (await ask({ question: args.question, choices })).trim()
    return { ok: true, text: answer === '' ? '(no answer; go on as you think best)' : answer }
  } catch (error) {
    const wire = toWireError(error)
    if (wire.code !== 'NOBODY_TO_ASK') return { ok: false, error: wire }
    return { ok: false, error: wire, text: 'Nobody can answer here. Go on as you think best, and say what you assumed.' }
  }
}
