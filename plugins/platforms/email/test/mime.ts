/** A message in a mailbox. */
export interface Letter {
  readonly uid: number
  readonly source: Buffer
}

interface Node {
  readonly head: string
  readonly body: string
  readonly children: readonly Node[]
}

const blank = '\r\n\r\n'

function parse(text: string): Node {
  const end = text.indexOf(blank)
  const head = end < 0 ? text : text.slice(0, end + 2)
  const body = end < 0 ? '' : text.slice(end + blank.length)
  const boundary = /boundary="?([^";\r\n]+)"?/i.exec(head)?.[1]
  if (!/^content-type:\s*multipart\//im.test(head) || boundary === undefined) return { head, body, children: [] }
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1)
  const parts = pieces.filter((piece) => !piece.startsWith('--')).map((piece) => parse(piece.replace(/^\r\n/, '')))
  return { head, body, children: parts }
}

export function describeHead(source: Buffer): Buffer {
  return Buffer.from(`${parse(source.toString('latin1')).head}\r\n`, 'latin1')
}

/** The bytes of a numbered part; `.MIME` after a number gives its head. */
export function findPart(source: Buffer, section: string): Buffer {
  const root = parse(source.toString('latin1'))
  const [numbers = '', mime] = section.split(/\.(MIME)$/)
  if (numbers === 'TEXT' || root.children.length === 0) return Buffer.from(root.body, 'latin1')
  let node: Node | undefined = root
  for (const number of numbers.split('.')) node = node?.children[Number(number) - 1]
  return Buffer.from((mime ? `${node?.head}\r\n` : node?.body) ?? '', 'latin1')
}

export const describeStructure = (source: Buffer): string => describe(parse(source.toString('latin1')))

function describe({ head, body, children }: Node): string {
  const value = (name: string): string => new RegExp(`^${name}:\\s*([^;\\r\\n]+)`, 'im').exec(head)?.[1]?.trim() ?? ''
  const [type = 'text', subtype = 'plain'] = (value('Content-Type') || 'text/plain').split('/')
  if (children.length > 0) return `(${children.map(describe).join('')} "${subtype}")`
  const parameter = (name: string): string | undefined => new RegExp(`\\b${name}="?([^";\\r\\n]+)"?`, 'i').exec(head)?.[1]
  const list = ['charset', 'name', 'format'].flatMap((name) => {
    const found = name === 'name' ? undefined : parameter(name)
    return found === undefined ? [] : [`"${name}" "${found}"`]
  })
  const file = parameter('filename')
  const disposition = file === undefined ? 'NIL' : `("attachment" ("filename" "${file}"))`
  const lines = type === 'text' ? ` ${body.split('\n').length}` : ''
  const encoding = value('Content-Transfer-Encoding') || '7bit'
  const parameters = list.length === 0 ? 'NIL' : `(${list.join(' ')})`
  return `("${type}" "${subtype}" ${parameters} NIL NIL "${encoding}" ${body.length}${lines} NIL ${disposition} NIL NIL)`
}
