/** What runs before a script in JavaScript, which comes on the standard input: it makes a global function of each tool, and `require`. */
export const javascriptHelper = (pipe: number, tools: Readonly<Record<string, readonly string[]>>): string => `
import { createRequire } from 'node:module'
import { Socket } from 'node:net'

const link = new Socket({ fd: ${pipe}, readable: true, writable: true })
const waiting = []
let rest = ''

class ToolError extends Error {
  name = 'ToolError'
}

const settle = (answer) => {
  const next = waiting.shift()
  if (waiting.length === 0) link.unref()
  if (answer.ok) next?.resolve({ text: answer.text, data: answer.data, toString: () => answer.text })
  else next?.reject(new ToolError(answer.text))
}

link.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) settle(JSON.parse(line))
})
link.on('error', () => undefined).on('close', () => {
  while (waiting.length > 0) settle({ ok: false, text: 'nobody answers any more' })
})
link.unref()

const call = (tool, args) =>
  new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
    link.ref()
    link.write(JSON.stringify({ tool, args }) + '\\n')
  })

const isNamed = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

for (const [tool, names] of Object.entries(${JSON.stringify(tools)}))
  globalThis[tool] = async (...given) => {
    if (given.length > names.length) throw new TypeError(tool + ' takes these without a name: ' + names.join(', '))
    const named = given.length === 1 && isNamed(given[0])
    return call(tool, named ? given[0] : Object.fromEntries(given.map((value, at) => [names[at], value])))
  }
globalThis.ToolError = ToolError
globalThis.require = createRequire(process.cwd() + '/')
`
