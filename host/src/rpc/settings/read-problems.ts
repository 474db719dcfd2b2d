import { type AgentError, isAgentError } from '@agent/plugin-sdk/errors'
import { findProblems } from '#agent/settings/find-problems.ts'
import { ownNames } from '#commands/slash-table.ts'
import type { ConfigProblem } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { givenVariables } from '#skills/secrets/grants.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'

/** Everything that is wrong in the settings of a home. A file that cannot be read at all is one problem among others here. */
export async function readProblems(
  home: Home,
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>,
): Promise<readonly ConfigProblem[]> {
  try {
    const { loaded, catalog } = await openCatalog(context)
    return await findProblems(loaded, catalog, ownNames, () => givenVariables(home.files.skillGrants))
  } catch (error) {
    return [asProblem(error, home)]
  }
}

/** What cannot be read, as a problem; every other error is thrown on. */
export function asProblem(error: unknown, home: Home): ConfigProblem {
  if (!isAgentError(error) || (!error.code.startsWith('CONFIG_') && error.code !== 'FILE_UNREADABLE')) throw error
  return { ...problemOf(error), file: String(error.params.path ?? home.files.config), level: 'error' }
}

function problemOf({ code, message, params }: AgentError): Pick<ConfigProblem, 'line' | 'key' | 'problem'> {
  if (code === 'FILE_UNREADABLE') return { line: 0, key: 'the file', problem: `${params.problem}; ${params.fix}` }
  const { line = 1, column, reason, problem, key = 'the file' } = params
  const text = reason === undefined ? String(problem ?? message) : `is not valid YAML at column ${column}: ${reason}`
  return { line: Number(line), key: String(key), problem: text.replace(/\.$/, '') }
}
