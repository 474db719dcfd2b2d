import { join } from 'node:path'
import { command as mcp } from '../../host/src/cli/mcp/command.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { createServiceLogins } from '../../host/src/models/credentials/service-logins.ts'
import { openToolset } from '../../plugins/toolsets/mcp/test/open-toolset.ts'
import { browse } from '../logins/oidc-server.ts'
import { runCommand } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { scenarios } from './scenarios.ts'

/** A person seldom tries more often. */
const mostLogins = 3

/** Does what a person does with a server that is new: puts it into the settings, logs in where it says so, and uses each of its tools. */
export async function useServer(url: string): Promise<void> {
  const { MCP_CONFORMANCE_SCENARIO: name, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
  const oauth = scenarios.find((scenario) => scenario.name === name)?.oauth?.(JSON.parse(context))
  const server = { url, trust: 'full', ...(oauth === undefined ? {} : { oauth }) }
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ mcp_servers: { peer: server } }))
  const { signal } = new AbortController()
  const logins = createServiceLogins({
    ...{ files: [join(home.home, 'auth.json')], clock: systemClock, signal, random: Math.random, keepSecret: () => undefined },
  })
  await using toolset = await openToolset({ peer: server }, new Map(), logins)
  const { tools } = await withLogins(home, server, async () => {
    const list = await toolset.list({ fresh: true })
    return { ...list, said: list.sources[0]?.text ?? '' }
  })
  for (const { name: tool, parameters } of tools) {
    // Each field of a form has a default, which the person takes.
    toolset.answerNext(...Array.from({ length: 20 }, () => 'default'))
    await withLogins(home, server, async () => ({ said: JSON.stringify(await toolset.run(tool, argumentsFor(parameters))) }))
  }
}

/** Does something again after each login that is asked for. */
async function withLogins<T extends { readonly said: string }>(home: TestHome, server: object, act: () => Promise<T>): Promise<T> {
  for (let logins = 0; ; logins++) {
    const done = await act()
    process.stderr.write(`${done.said}\n`)
    const [wish, , scope] = /agent mcp login peer( --scope '([^']*)')?/.exec(done.said) ?? []
    if (wish === undefined || logins === mostLogins || !(await logIn(home, server, scope))) return done
  }
}

/** The command of a person, who reads who gives the logins where it asks. */
async function logIn(home: TestHome, server: object, scope: string | undefined): Promise<boolean> {
  const words = ['login', 'peer', ...(scope === undefined ? [] : ['--scope', scope])]
  const onNote = (line: string): void => {
    if (line.startsWith('Open this address')) void browse(line.split('\n')[1] ?? '')
  }
  const { code, note } = await runCommand(mcp, words, { installRoot: process.cwd(), environment: home.environment, onNote })
  process.stderr.write(note)
  const [, issuer] = /set mcp_servers\.peer\.oauth\.issuer to (\S+?)\.?\s/.exec(note) ?? []
  if (issuer === undefined) return code === 0
  const { oauth } = server as { readonly oauth?: object }
  home.write('config.yaml', JSON.stringify({ mcp_servers: { peer: { ...server, oauth: { ...oauth, issuer } } } }))
  return logIn(home, { ...server, oauth: { ...oauth, issuer } }, scope)
}

const examples: Readonly<Record<string, unknown>> = { number: 2, integer: 2, boolean: true, string: 'text' }

/** A value for each argument. */
function argumentsFor(parameters: unknown): Record<string, never> {
  const { properties = {} } = parameters as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
  return Object.fromEntries(Object.entries(properties).map(([key, { type = 'string' }]) => [key, examples[type]])) as Record<string, never>
}
