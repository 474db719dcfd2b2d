/** The line ends, or goes on with a pipe or a redirection. */
const end = '(?= ([|&<>]|\\d[<>])|$)'
const groups = 'sessions|pairing|auth|tools|mcp|skills|bundles|memory|cron|checkpoints|config|profile'
const others = 'chat|gateway|send|model|login|logout|usage|plugins|logs|setup|dashboard|update|doctor|help'

/** What may stand behind them and does more than show: a wait without end, a call that costs money, a file. */
const more = '(?![^|]* (-\\w*f\\w*|--(follow|call|junit))([ =]|$))'

const shows = [
  'sessions (list|search)',
  'gateway (status|failures|directory)',
  'pairing list',
  'auth (list|status)',
  'usage',
  'tools list',
  'mcp (list|catalog)',
  'skills (list|show|inspect|check|pending|diff)',
  'bundles (list|show)',
  'memory (show|pending)',
  'cron (list|show|history)',
  'checkpoints (list|diff)',
  'config (get|check|path|schema)',
  'plugins (list|info|why|doctor|trace|logs|verify|search)',
  'profile (list|show)',
  'logs',
  'doctor',
].join('|')

/** With no other word behind them. */
const alone = [
  `(${groups}|plugins|gateway|model)( --json)?`,
  'model --list( --json)?',
  'plugins check( \\.)?( --json)?',
  '(skills|memory) approval',
  'dashboard --status',
  'update --check( --json)?',
  'help( \\w[\\w-]*)*',
  '(\\w[\\w-]* ){0,3}(-h|--help)',
  '-V|--version',
].join('|')

/**
 * Commands of the agent's own program that only show what is: its words behind the name of the program. All others change the agent or
 * have it do something, and a new one counts among these.
 */
export const freeOwnWords = `((-p|--profile) \\S+ |--profile=\\S+ )*((?!(${groups}|${others}) )[a-zA-Z0-9][\\w-]* )?((${shows})${more}(?= |$)|(${alone})${end})`
