/** A field of a form as a server describes it. */
export interface FormField {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly enumNames?: readonly string[]
  readonly oneOf?: readonly Option[]
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly Option[] }
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: unknown
}

interface Option {
  readonly const: string
  readonly title?: string
}

type Value = string | number | boolean | string[]
export type Read = { readonly value: Value } | { readonly problem: string }

/** What is chosen from, by what people see; empty where anything may be said. */
export function optionsOf({ type, enum: words, enumNames, oneOf, items }: FormField): ReadonlyMap<string, string | boolean> {
  if (type === 'boolean') return new Map([['yes', true] as const, ['no', false] as const])
  const titled = oneOf ?? items?.anyOf
  if (titled) return new Map(titled.map((option) => [option.title ?? option.const, option.const]))
  return new Map((words ?? items?.enum ?? []).map((word, at) => [enumNames?.[at] ?? word, word]))
}

/** The value that the server proposes, and how people see it; undefined where there is none that fits. */
export function defaultOf(field: FormField): { readonly value: Value; readonly shown: string } | undefined {
  const { default: given } = field
  if (given === undefined || given === null) return undefined
  const options = [...optionsOf(field)]
  // By what people see: a label may be the value of another option.
  const said = [given].flat().map((one) => options.find(([, value]) => value === one)?.[0] ?? String(one))
  const read = readField(field, said.join(','))
  if ('problem' in read) return undefined
  const labels = options.filter(([, value]) => [read.value].flat().includes(value)).map(([label]) => label)
  return { value: read.value, shown: labels.length > 0 ? labels.join(', ') : String(read.value) }
}

/** Reads what a person said as a value of the field. */
export function readField(field: FormField, said: string): Read {
  const options = optionsOf(field)
  if (field.type === 'array') return readSeveral(field, said, options)
  if (options.size > 0) {
    const value = choose(options, said)
    return value === undefined ? { problem: `one of ${[...options.keys()].join(', ')}` } : { value }
  }
  return field.type === 'number' || field.type === 'integer' ? readNumber(field, said) : readText(field, said)
}

function choose(options: ReadonlyMap<string, string | boolean>, said: string): string | boolean | undefined {
  const wanted = said.trim().toLowerCase()
  const all = [...options]
  const is = (word: string | boolean): boolean => String(word).toLowerCase() === wanted
  // What people see comes first: one label may be the value of another.
  return (all.find(([label]) => is(label)) ?? all.find(([, value]) => is(value)))?.[1]
}

function readSeveral({ minItems = 0, maxItems = 100 }: FormField, said: string, options: ReadonlyMap<string, string | boolean>): Read {
  const words = said.split(',').map((word) => word.trim())
  const values = words.filter((word) => word !== '').map((word) => choose(options, word))
  const known = values.filter((value) => typeof value === 'string')
  if (known.length < values.length) return { problem: `some of ${[...options.keys()].join(', ')}, with commas between them` }
  if (known.length < minItems || known.length > maxItems) return { problem: `${minItems} to ${maxItems} of them` }
  return { value: [...new Set(known)] }
}

function readNumber({ type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: FormField, said: string): Read {
  const value = Number(said.trim())
  const isOne = said.trim() !== '' && Number.isFinite(value) && (type === 'number' || Number.isInteger(value))
  if (isOne && value >= minimum && value <= maximum) return { value }
  const low = Number.isFinite(minimum) ? `, at least ${minimum}` : ''
  const high = Number.isFinite(maximum) ? `, at most ${maximum}` : ''
  return { problem: `a ${type === 'integer' ? 'whole ' : ''}number${low}${high}` }
}

const formats: Readonly<Record<string, { readonly is: (text: string) => boolean; readonly name: string }>> = {
  email: { is: (text) => /^[^\s@]+@[^\s@]+$/.test(text), name: 'an email address' },
  uri: { is: (text) => URL.canParse(text), name: 'a web address' },
  date: { is: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), name: 'a date such as 2026-11-28' },
  'date-time': {
    is: (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
    name: 'a time such as 2026-11-28T09:30:00Z',
  },
}

function readText({ format = '', minLength = 0, maxLength = 10_000 }: FormField, said: string): Read {
  const value = said.trim()
  const rule = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (rule && !rule.is(value)) return { problem: rule.name }
  return value.length < minLength || value.length > maxLength ? { problem: `${minLength} to ${maxLength} characters` } : { value }
}
