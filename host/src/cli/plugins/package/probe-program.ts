/**
 * What the probing child runs, as text: it imports each entry, looks at its shape, and opens toolsets where that works without settings.
 * It imports nothing of the host, since it may read the plugin's folder only.
 */
export const probeProgram = `
import { writeSync } from 'node:fs'
const { parts, mayReach } = JSON.parse(process.argv[1])
const problems = []
const notes = []
const silent = new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : silent), apply: () => silent })
for (const { method, id, entry, url, tools } of parts) {
  try {
    const { default: found } = await import(url)
    if (found === undefined || found === null) problems.push(entry + ' has no default export')
    else if (typeof found[method] !== 'function') problems.push(entry + ' has a default export without ' + method + '()')
    else if (tools) await compareTools(found, id, tools)
  } catch (error) {
    if (error?.code === 'ERR_ACCESS_DENIED' && mayReach) continue
    const denied = error?.code === 'ERR_ACCESS_DENIED' ? ' (it reached out of its folder while it was loaded)' : ''
    problems.push(entry + ' could not be loaded: ' + (error?.message ?? String(error)) + denied)
  }
}
async function compareTools(toolset, id, declared) {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('it did not end within 2000 ms')), 2000)
  const late = new Promise((_, reject) => limit.signal.addEventListener('abort', () => reject(limit.signal.reason)))
  const context = new Proxy({ config: {}, signal: limit.signal }, { get: (target, name) => target[name] ?? (name === 'then' ? undefined : silent) })
  let opened
  try {
    opened = await Promise.race([(async () => toolset.open(context, { id: 'call_probe', signal: limit.signal, deadline: 2000 }))(), late])
  } catch (error) {
    notes.push('the tools of ' + id + ' were not compared, because it could not be opened without settings: ' + (error?.message ?? String(error)))
    return
  } finally {
    clearTimeout(timer)
  }
  if (typeof opened?.tools !== 'object' || opened.tools === null) {
    problems.push('the toolset ' + id + ' opens without tools')
    return
  }
  const provided = Object.keys(opened.tools)
  const extra = provided.filter((name) => !declared.includes(name))
  const absent = declared.filter((name) => typeof opened.tools[name] !== 'function')
  if (extra.length > 0) problems.push('the toolset ' + id + ' has the undeclared ' + (extra.length > 1 ? 'tools ' : 'tool ') + extra.join(', '))
  if (absent.length > 0) problems.push('the toolset ' + id + ' lacks ' + absent.join(', '))
}
writeSync(3, JSON.stringify({ problems, notes }))
process.exit(0)
`
