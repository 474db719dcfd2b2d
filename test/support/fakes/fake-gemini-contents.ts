import { type Body, listOf } from './fake-vendor.ts'

const partFields = new Set(['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'])
const inner: Readonly<Record<string, readonly string[]>> = {
  inlineData: ['mimeType', 'data'],
  fileData: ['mimeType', 'fileUri'],
  functionCall: ['id', 'name', 'args'],
  functionResponse: ['id', 'name', 'response'],
}
/** What the vendor itself gave, and what it lets stand in for a signature. */
const signatures = ['c2lnLTE=', 'skip_thought_signature_validator']

/** The vendor's sentence about what is wrong with the contents. */
export function checkContents(contents: readonly Body[], model: string): string | undefined {
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified'
  if (contents[0]?.role !== 'user') return 'Please ensure that the first content has the role user.'
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1]
    if (content.role !== 'user' && content.role !== 'model') return 'Please use a valid role: user, model.'
    if (before?.role === content.role) return 'Please ensure that multiturn requests alternate between user and model.'
    const wrong = checkParts(content, index) ?? checkResponses(before, content)
    if (wrong) return wrong
  }
  const last = contents.at(-1)
  return (last?.role === 'model' && named(last, 'functionCall').length > 0 ? unanswered : undefined) ?? checkSignatures(contents, model)
}

function checkParts({ parts }: Body, index: number): string | undefined {
  if (listOf(parts).length === 0) return `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`
  for (const [place, part] of listOf(parts).entries()) {
    const at = `contents[${index}].parts[${place}]`
    const stranger = Object.keys(part).find((key) => !partFields.has(key))
    if (stranger) return `Invalid JSON payload received. Unknown name "${stranger}" at '${at}': Cannot find field.`
    for (const [name, known] of Object.entries(inner)) {
      const wrong = Object.keys((part[name] ?? {}) as Body).find((key) => !known.includes(key))
      if (wrong) return `Invalid JSON payload received. Unknown name "${wrong}" at '${at}.${name}': Cannot find field.`
    }
    const wrong = checkPart(part, at)
    if (wrong) return wrong
  }
  return undefined
}

function checkPart({ functionCall, functionResponse, thoughtSignature }: Body, at: string): string | undefined {
  const args = (functionCall as Body | undefined)?.args ?? {}
  const response = functionResponse === undefined ? {} : (functionResponse as Body).response
  if (typeof args !== 'object' || typeof response !== 'object' || response === null)
    return `Invalid value at '${at}' (type.googleapis.com/google.protobuf.Struct)`
  if (thoughtSignature !== undefined && !signatures.includes(String(thoughtSignature))) return 'Corrupted thought signature.'
  return undefined
}

const unanswered = 'Please ensure that function call turn comes immediately before a function response turn.'

function checkResponses(before: Body | undefined, content: Body): string | undefined {
  const calls = named(before, 'functionCall')
  const responses = named(content, 'functionResponse')
  if (calls.length !== responses.length) {
    if (calls.length === 0) return 'Please ensure that function response turn comes immediately after a function call turn.'
    return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
  }
  const wrong = responses.find(({ name, id }, index) => name !== calls[index]?.name || id !== calls[index]?.id)
  return wrong ? `The function response ${wrong.name} does not fit its function call.` : undefined
}

/** Looked for since the last thing that a person said. */
function checkSignatures(contents: readonly Body[], model: string): string | undefined {
  if (!/gemini-[3-9]/.test(model)) return undefined
  const asked = contents.findLastIndex((content) => content.role === 'user' && named(content, 'functionResponse').length === 0)
  for (const content of contents.slice(asked + 1)) {
    const first = listOf(content.parts).find(({ functionCall }) => functionCall !== undefined)
    if (first && first.thoughtSignature === undefined)
      return 'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.'
  }
  return undefined
}

function named(content: Body | undefined, field: string): readonly Body[] {
  return listOf(content?.parts).flatMap((part) => (part[field] === undefined ? [] : [part[field] as Body]))
}
