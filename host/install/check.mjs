import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { say } from './say.mjs'

/** What `npm run check` looks at; each step ends by itself and touches nothing that another one reads. */
const steps = (root) => [
  ['types', [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json', '--pretty', 'false']],
  ["types of the browser's side", [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'host/web', '--pretty', 'false']],
  ['lint', [join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']],
  ['generated files', [join(root, 'host', 'install', 'generate.mjs'), '--check']],
]

/** Runs the steps side by side; prints all that a failing one said, and the seconds of each. */
export async function check(root) {
  const results = await Promise.all(steps(root).map(([name, args]) => runStep(root, name, args)))
  for (const { name, good, text } of results) if (!good) say(`== ${name}\n${text.trimEnd()}`)
  for (const { name, good, seconds } of results) say(`${name}: ${good ? 'good' : 'FAILED'} (${seconds} s)`)
  return results.every(({ good }) => good) ? 0 : 1
}

function runStep(root, name, args) {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const gather = (piece) => (text += piece)
    child.stdout.setEncoding('utf8').on('data', gather)
    child.stderr.setEncoding('utf8').on('data', gather)
    child.on('error', (error) => gather(error.message))
    child.on('close', (code) => resolve({ name, good: code === 0, text, seconds: ((performance.now() - startedAt) / 1000).toFixed(1) }))
  })
}
