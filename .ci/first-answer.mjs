// Clones this checkout, runs `npm start` there as somebody new does, and waits for the first answer. Ends with 1 when none comes.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const folder = mkdtempSync(join(tmpdir(), 'first-answer-'))
const clone = join(folder, 'agent')
const startedAt = performance.now()
const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)

execFileSync('git', ['clone', '--quiet', '.', clone], { stdio: 'inherit' })
mkdirSync(join(folder, 'home'))
const port = await freePort()
// The home of the person who runs this is not touched; what npm has fetched before may be used.
const cache = process.env.npm_config_cache ?? join(homedir(), '.npm')
const native = process.env.AGENT_NATIVE_CACHE ?? join(homedir(), '.cache', 'agent', 'native')
const env = {
  ...process.env,
  HOME: join(folder, 'home'),
  API_SERVER_PORT: String(port),
  npm_config_cache: cache,
  AGENT_NATIVE_CACHE: native,
}
const start = spawn('npm', ['start'], { cwd: clone, env, stdio: 'inherit', detached: true })
const ended = new Promise((resolve) => start.once('close', (code) => resolve(code ?? 1)))
let running = true
void ended.then(() => (running = false))

try {
  const answer = await firstAnswer()
  if (answer) console.log(`The first answer came after ${seconds()} s: ${answer}`)
  else console.log(`npm start ended after ${seconds()} s without an answer.`)
  if (!answer) process.exitCode = 1
} finally {
  if (running) process.kill(-start.pid, 'SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

async function firstAnswer() {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  while (running) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, request)
      if (response.ok) return (await response.json()).choices[0].message.content
      console.log(`The API answered with ${response.status}.`)
    } catch {
      // Not there yet.
    }
    await pause(200)
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
