import type { TriedConversation } from './tried-conversation.ts'

/** The report that build servers read. */
export function formatJunit(outcomes: readonly TriedConversation[]): string {
  const files = [...new Set(outcomes.map(({ file }) => file))]
  const suites = files.map((file) => {
    const own = outcomes.filter((outcome) => outcome.file === file)
    return [`  <testsuite ${counts(own, file)}>`, ...own.map(formatCase), '  </testsuite>'].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites ${counts(outcomes, 'agent eval')}>`, ...suites, '</testsuites>', ''].join(
    '\n',
  )
}

function counts(outcomes: readonly TriedConversation[], name: string): string {
  const of = (status: TriedConversation['status']): number => outcomes.filter((each) => each.status === status).length
  const seconds = outcomes.reduce((sum, each) => sum + each.seconds, 0)
  return `name="${escapeXml(name)}" tests="${outcomes.length}" failures="${of('failed')}" skipped="${of('stopped')}" time="${seconds.toFixed(3)}"`
}

function formatCase({ file, name, status, problems, seconds }: TriedConversation): string {
  const head = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(name)}" time="${seconds.toFixed(3)}"`
  if (status === 'passed') return `${head}/>`
  const inner =
    status === 'stopped' ? '<skipped/>' : `<failure message="${escapeXml(problems[0] ?? '')}">${escapeXml(problems.join('\n'))}</failure>`
  return `${head}>${inner}</testcase>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }

/** XML has no place for most control characters, not even by their number. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, '\ufffd').replaceAll(/[&<>"\n]/g, (sign) => entities[sign] ?? sign)
}
