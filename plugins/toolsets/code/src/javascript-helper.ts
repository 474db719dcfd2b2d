import { javascriptImports } from './javascript-imports.ts'

/**
 * Runs scripts in JavaScript as they come on their pipe, like lines in the console of a browser: names at the top live on and may be declared again, and
 * `await` works there. A script is over when nothing of it is left to do, as in Node. A thread follows the pipe, so that a script that never ends does
 * not outlive the other end of it. Each tool is a global function; `require` is there too.
 */
export const javascriptHelper = (
  pipes: { readonly calls: number; readonly orders: number },
  tools: Readonly<Record<string, readonly string[]>>,
): string => `
import { Session } from 'node:inspector'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'

const link = new Socket({ fd: ${pipes.calls}, readable: true, writable: true })
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

const session = new Session()
session.connect()
const post = (method, wish) =>
  new Promise((resolve, reject) => session.post(method, wish, (error, found) => (error ? reject(error) : resolve(found))))
${javascriptImports}
const outputs = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream))
const mark = (text) => Promise.all(outputs.map((write) => new Promise((resolve) => write(text, resolve))))

const follower = ${JSON.stringify(follower(pipes.orders))}
const orders = new Worker(follower, { eval: true, execArgv: [] })
let running
let number = 0

const fail = (text) => {
  outputs[1](text + '\\n')
  if (!running) return
  if (!running.failed) orders.postMessage({ failed: true })
  running.failed = true
}

// Frames below the script are those of this text.
const ownFrames = /\\n\\s+at Session\\.post \\(node:inspector[^]*?(?=\\n(?!\\s+at )|$)/g

const isDeclared = /^SyntaxError: Identifier '.*' has already been declared/
const otherWord = '\\nAn earlier script may have declared it by another word: take the same of const, let, class and function, another name, or reset.'

const describe = async ({ exception, text, lineNumber }, code, name) => {
  const told = exception?.objectId ? await inspectRemote(exception) : 'Uncaught ' + (exception?.description ?? exception?.value ?? text)
  const line = Number(told.split(name + ':')[1]?.split(':')[0] ?? lineNumber + 1)
  return name + ':' + line + '\\n' + (code.split('\\n')[line - 1] ?? '') + '\\n\\n' + told.replaceAll(ownFrames, '') + (isDeclared.test(told) ? otherWord : '')
}

const inspectRemote = async ({ objectId, description }) => {
  const functionDeclaration = 'function () { return agent_inspect(this) }'
  const { result } = await post('Runtime.callFunctionOn', { objectId, functionDeclaration, returnByValue: true })
  return String(result?.value ?? description)
}

const run = async ({ code, folder }) => {
  const name = number === 1 ? 'script.mjs' : 'script-' + number + '.mjs'
  process.chdir(folder)
  const ready = await withImports(code)
  const expression = "'use strict';" + ready + '\\n//# sourceURL=' + name
  const ran = await post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true, objectGroup: 'script' })
  if (ran.exceptionDetails) fail(await describe(ran.exceptionDetails, code, name))
  await post('Runtime.releaseObjectGroup', { objectGroup: 'script' })
}

orders.on('message', async (order) => {
  const own = { ...order, failed: false, isSettled: false }
  running = own
  number++
  orders.unref()
  await mark(own.begin)
  await run(own).catch((error) => fail(inspect(error)))
  own.isSettled = true
})

process.on('uncaughtException', (error) => fail(inspect(error)))
process.on('beforeExit', async () => {
  if (!running) return
  const own = running
  orders.ref()
  running = undefined
  if (!own.isSettled && !own.failed) outputs[1]('the script waits for something that never comes\\n')
  const code = own.failed ? 1 : own.isSettled ? Number(process.exitCode ?? 0) & 255 : 13
  process.exitCode = undefined
  await mark(own.end)
  orders.postMessage({ code })
})
`

const follower = (pipe: number): string => `
const { parentPort } = require('node:worker_threads')
const { Socket } = require('node:net')
const orders = new Socket({ fd: ${pipe}, readable: true, writable: true })
let rest = ''
orders.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n')
  rest = lines.pop()
  for (const line of lines) parentPort.postMessage(JSON.parse(line))
})
orders.on('error', () => undefined).on('close', () => process.kill(0, 'SIGKILL'))
parentPort.on('message', (done) => orders.write(JSON.stringify(done) + '\\n'))
`
