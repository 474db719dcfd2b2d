import { defaultOf, type FormField, optionsOf, readField } from './form-field.ts'
import type { RunningCall } from './running.ts'

/** What a server wants to know of the person, in the middle of a call. */
export interface FormRequest {
  readonly message: string
  readonly requestedSchema?: { readonly properties?: Readonly<Record<string, unknown>>; readonly required?: readonly string[] }
}

type Values = Record<string, string | number | boolean | string[]>
export type FormAnswer = { action: 'accept'; content: Values } | { action: 'decline' | 'cancel' }

const longestMessage = 2000
const longestDefault = 200
const mostFields = 20
const mostTries = 3
const accept = 'Agree'
const decline = 'Decline'
const skip = 'Skip'
const proposed = 'Default'

/**
 * Asks the person whose call it is, field by field, in the conversation. Where nobody can be asked, or it is not clear who, it is cancelled:
 * nobody has refused then.
 */
export async function answerForm({ message, requestedSchema = {} }: FormRequest, running: RunningCall | undefined): Promise<FormAnswer> {
  const fields = Object.entries(requestedSchema.properties ?? {}) as [string, FormField][]
  if (!running || fields.length > mostFields) return { action: 'cancel' }
  const asked = `The MCP server ${running.server} asks: ${message.slice(0, longestMessage)}`
  try {
    if (fields.length === 0) {
      const said = await running.toolCall.ask({ question: asked, choices: [accept, decline] })
      return is(said, accept) ? { action: 'accept', content: {} } : { action: 'decline' }
    }
    const content: Values = {}
    for (const [name, field] of fields) {
      const answer = await askField(running, { asked, name, field, isRequired: requestedSchema.required?.includes(name) === true })
      if (typeof answer === 'string') return { action: answer }
      if (answer.value !== undefined) content[name] = answer.value
    }
    return { action: 'accept', content }
  } catch {
    // Nobody is there to answer, or the call has ended.
    return { action: 'cancel' }
  }
}

interface Asked {
  readonly asked: string
  readonly name: string
  readonly field: FormField
  readonly isRequired: boolean
}

async function askField(
  { toolCall }: RunningCall,
  { asked, name, field, isRequired }: Asked,
): Promise<{ readonly value?: Values[string] } | 'decline' | 'cancel'> {
  const { about, choices, ways, byDefault } = describeField(name, field, isRequired)
  let problem = ''
  for (let attempt = 1; attempt <= mostTries; attempt++) {
    const said = await toolCall.ask({ question: `${asked}\n${about}\n${problem}${ways}`.trimEnd(), choices })
    if (is(said, decline)) return 'decline'
    if (!isRequired && is(said, skip)) return {}
    if (byDefault && is(said, proposed)) return { value: byDefault.value }
    const read = readField(field, said)
    if ('value' in read) return read
    problem = `That does not fit; it takes ${read.problem}. `
  }
  return 'cancel'
}

/** What a person sees of a field: what it is, and how it is answered. */
function describeField(name: string, field: FormField, isRequired: boolean) {
  const options = [...optionsOf(field).keys()]
  const isSeveral = field.type === 'array'
  const several = isSeveral ? ` (some of ${options.join(', ')})` : ''
  const given = defaultOf(field)
  // Where an option has this name, it is meant.
  const byDefault = options.some((option) => is(option, proposed)) ? undefined : given
  const text = [field.title ?? name, field.description].filter(Boolean).join(': ').slice(0, longestMessage)
  const about = `${text}${several}${given ? ` [default: ${given.shown.slice(0, longestDefault)}]` : ''}`
  if (options.length > 0 && !isSeveral) return { about, byDefault, choices: [...options, ...(isRequired ? [] : [skip]), decline], ways: '' }
  const ways = [
    byDefault ? 'Say “default” to take that.' : '',
    isRequired ? '' : 'Say “skip” to leave it out.',
    'Say “decline” to tell nothing.',
  ]
  return { about, byDefault, choices: [], ways: ways.filter(Boolean).join(' ') }
}

const is = (said: string, word: string): boolean => said.trim().toLowerCase() === word.toLowerCase()
