import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generators } from './generators.mjs'
import { say } from './say.mjs'
import { explainError } from './trouble.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Writes every generated file of the repository, or with `check` only names those that are not what their sources say. */
async function generate({ check }) {
  const stale = []
  for (const generator of generators) stale.push(...(await generator(root, { check })))
  return stale.map((file) => relative(root, file))
}

try {
  const check = process.argv.includes('--check')
  const stale = await generate({ check })
  for (const file of stale) say(check ? `${file} is stale: run \`npm run generate\` and commit it.` : `${file} written.`)
  process.exitCode = check && stale.length > 0 ? 1 : 0
} catch (error) {
  say(explainError(error) ?? error.message)
  process.exitCode = 1
}
