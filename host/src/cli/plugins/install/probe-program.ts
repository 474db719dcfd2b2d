/**
 * What the probing child runs, as text: it imports each entry, looks at its shape, and opens toolsets where that works without settings.
 * It imports nothing of the host, since it may read the plugin's folder only.
 */
export const probeProgram = `
import { writeSync } from 'node:fs'
const { parts, mayReach } = JSON.parse(process.argv[1])
const methods = { platforms: ['connect'], providers: ['open'], toolsets: ['open'] }
const problems = []
const never = () => new Promise(() => {})
const silent = new Proxy(() => undefined, { get: (_, name) => (name === 'then' ? undefined : silent), apply: () => silent })
for (const { list, id, entry, url, tools } of parts) {
  try {
    const { default: found } = await import(url)
    const missing = (methods[list] ?? []).filter((name) => typeof found?.[name] !== 'function')
    if (found === undefined || found === null) problems.push(entry + ' has no default export')
    else if (missing.length > 0) problems.push(entry + ' has a default export without ' + missing[0] + '()')
    else if (tools) await compareTools(found, id, tools)
  } catch (error) {
    if (error?.code === 'ERR_ACCESS_DENIED' && mayReach) continue
    const denied = error?.code === 'ERR_ACCESS_DENIED' ? ' (it reached out of its folder while it was loaded)' : ''
    problems.push(entry + ' could not be loaded: ' + (error?.message ?? String(error)) + denied)
  }
}
async function compareTools(toolset, id, declared) {
  const limit = AbortSignal.timeout(2000)
  const context = new Proxy({ config: {}, signal: limit }, { get: (target, name) => target[name] ?? (name === 'then' ? undefined : silent) })
  const late = new Promise((resolve) => limit.addEventListener('abort', () => resolve(undefined), { once: true }))
  const opened = await Promise.race([Promise.resolve().then(() => toolset.open(context, { signal: limit, deadlineMs: 2000 })), late]).catch(() => undefined)
  if (typeof opened?.tools !== 'object' || opened.tools === null) return
  const provided = Object.keys(opened.tools)
  const extra = provided.filter((name) => !declared.includes(name))
  const absent = declared.filter((name) => typeof opened.tools[name] !== 'function')
  if (extra.length > 0) problems.push('the toolset ' + id + ' has the undeclared ' + (extra.length > 1 ? 'tools ' : 'tool ') + extra.join(', '))
  if (absent.length > 0) problems.push('the toolset ' + id + ' lacks ' + absent.join(', '))
}
writeSync(3, JSON.stringify({ problems }))
process.exit(0)
`
