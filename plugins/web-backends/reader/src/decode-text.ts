/** How many bytes of a page are searched for its charset, as browsers do. */
const head = 1024

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], charset: 'utf-8' },
  { bytes: [0xff, 0xfe], charset: 'utf-16le' },
  { bytes: [0xfe, 0xff], charset: 'utf-16be' },
]

/** The text of a page: its first bytes, the header, and for HTML its head say in which charset it is written; else it is UTF-8. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const marked = marks.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte))?.charset
  const charset = marked ?? charsetOf(contentType) ?? charsetOf(Buffer.from(bytes.subarray(0, head)).toString('latin1'))
  return (findDecoder(charset) ?? new TextDecoder()).decode(bytes)
}

/** Of a header, of `<meta charset>`, of `<meta http-equiv>` and of the first line of XML. */
function charsetOf(text: string): string | undefined {
  return /(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(text)?.[1]
}

function findDecoder(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset)
  } catch {
    // There is no such charset; most pages that name one are written in UTF-8.
    return undefined
  }
}
