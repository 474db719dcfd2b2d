#!/usr/bin/env node
import { loadBuild, loadKit } from './load-build.mjs'

const output = { out: (text) => console.log(text), note: (text) => console.error(text) }
const [command, ...args] = process.argv.slice(2)

if (command === 'check') {
  process.setSourceMapsEnabled(true)
  // What a plugin keeps open must not keep this process open.
  process.exit(await check(args))
}
const { runCli } = await loadBuild()
process.exitCode = await runCli(process.argv.slice(2), output)

/** Tries a plugin by every rule, in this process; `agent plugins check` does the same in a separate one. */
async function check([dir = '.', ...more]) {
  if (more.length > 0 || dir.startsWith('-')) {
    output.note('agent-plugin check [folder]')
    return 2
  }
  const { checkPlugin } = await loadKit()
  try {
    const { rules, notes, quality, passed } = await checkPlugin({ dir })
    for (const { rule, title, entry, place, status, problem } of rules) {
      if (status !== 'passed') output.note([`${status}: ${rule}: ${title}`, entry, place, problem].filter(Boolean).join(' | '))
    }
    for (const note of notes) output.note(`Note: ${note}`)
    output.out(`${passed ? 'The rules hold' : 'Not every rule holds'}: ${rules.length} were tried. Quality: ${quality.tier}.`)
    return passed ? 0 : 1
  } catch (error) {
    if (typeof error?.code !== 'string') throw error
    output.note(error.message)
    return 1
  }
}
