import { variablePatterns, variables } from '#config/environment/variables.ts'
import { code, formatPage, formatTable, type Page } from './markdown.ts'
import { effectOfVariable } from './without-effect.ts'

/** Every environment variable that the host reads. */
export function describeEnvironment(): Page {
  const yes = (value: boolean): string => (value ? 'yes' : '')
  const own = variables.map(({ name, about, key, secret, since }) => [
    code(name),
    about,
    code(key ?? ''),
    yes(secret),
    String(since),
    effectOfVariable(name),
  ])
  const patterns = variablePatterns.map(({ written, secret }) => [code(written), yes(secret), effectOfVariable(written)])
  return formatPage('environment', 'Environment variables', [
    "The process environment comes first, then the home's `.env`, then `config.yaml`. An empty variable counts as unset.",
    '## Of the program',
    formatTable(['variable', 'what it does', 'beats the key', 'secret', 'since `_config_version`', 'note'], own),
    '## Of every provider and platform',
    formatTable(['variable', 'secret', 'note'], patterns),
    'Variables of a plugin stand in the `REFERENCE.md` of its folder; `agent plugins info <plugin>` prints them too.',
  ])
}
