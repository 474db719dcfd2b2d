/** What a person is told whose message was in work at three crashes. */
export const apology = 'Sorry, this message made me stumble three times; I will not try it again. Please say it differently.'

/** What the offline model does at one step, as a person reads it; a tool may have been cut off where its message was in work at a kill. */
interface Step {
  readonly pattern: RegExp
  readonly says: (found: readonly string[], wasCut: boolean) => { readonly words?: string; readonly reports?: readonly string[] }
}

const cutTool = 'terminal failed: terminal was interrupted; its outcome is unknown. It was not run again.'

const steps: readonly Step[] = [
  {
    pattern: /^note \S+$/,
    says: ([whole]) => ({ words: `I am the offline model and only understand a few requests (say "help"). You said: ${whole}` }),
  },
  {
    pattern: /^stream (\d+) tokens/,
    says: ([, count]) => ({ words: Array.from({ length: Number(count) }, (_, index) => `offline-${index + 1}`).join(' ') }),
  },
  {
    pattern: /^run echo (\S+) \| tee -a lines\.txt/,
    says: ([, id], wasCut) => ({ reports: [`terminal answered: ${id}`, ...(wasCut ? [cutTool] : [])] }),
  },
]

/** Every answer that is right for a message: one, and with tools in a message that was in work at a kill a few. */
export function rightAnswers(asked: string, wasCut: boolean): readonly string[] {
  const parts = asked.split(' then ').map((part) => readStep(part, wasCut))
  const words = parts.map((part) => part.words ?? '').join('')
  const reports = parts.flatMap((part) => (part.reports ? [part.reports] : []))
  if (reports.length === 0) return [words]
  return combine(reports).map((told) => `${words}${told.join(' ')} That is all. (offline model)`)
}

function readStep(part: string, wasCut: boolean): ReturnType<Step['says']> {
  for (const { pattern, says } of steps) {
    const found = pattern.exec(part)
    if (found) return says(found, wasCut)
  }
  throw new Error(`Nobody knows the right answer to ${part}.`)
}

/** One of each, in every way. */
function combine(choices: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return choices.reduce<readonly (readonly string[])[]>((ways, choice) => ways.flatMap((way) => choice.map((one) => [...way, one])), [[]])
}

/** A text without what a platform changes of it: where it is cut into parts, and how white space looks. */
export function plainWords(...texts: readonly string[]): string {
  return texts.join(' ').replace(/\s+/g, ' ').trim()
}
