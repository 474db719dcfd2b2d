import { showJson } from '#observe/printable.ts'

/** What a text of foreign origin looks like once it is safe to show to a model. */
export interface ScannedText {
  /** Without the characters that nobody sees. */
  readonly text: string
  /** How many of those there were. */
  readonly hidden: number
  /** The first line that wants to take over the agent; undefined: there is none. */
  readonly injection?: { readonly line: number; readonly words: string }
}

/** Tags, marks of direction and other characters without a width: people do not see them, and models read them. Joiners of letters and emoji are none of them. */
const hidden = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
/** The flags of England, Scotland and Wales are spelled by tags behind a black flag. */
const flags = /\u{1f3f4}[\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu

/** Whole phrases that no rule, memory or skill needs, and that attacks are made of. */
const injections: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|of|these|those|my)\s+){0,3}(?:previous|prior|above|earlier|preceding|former|system|existing|original)\s+(?:\w+\s+){0,2}(?:instructions?|prompts?|rules?|guidelines?|directives?|messages?)\b/i,
  /\b(?:do\s+not|don['’]t|never)\s+(?:tell|inform|notify|alert|reveal\s+(?:this\s+)?to|mention\s+(?:this\s+)?to)\s+(?:the\s+)?(?:user|person|human|owner|operator)\s+(?:about\s+(?:this|these)|of\s+this|that\s+you\s+(?:did|have|were|are))\b/i,
  /\byou\s+are\s+now\s+(?:in\s+)?(?:dan\b|developer\s+mode|god\s+mode|jailbroken|unrestricted|free\s+of)/i,
  /\b(?:act|behave|respond)\s+as\s+(?:if|though)\s+you\s+(?:have|had)\s+no\s+(?:restrictions?|rules?|limits?|guidelines?)\b/i,
  /\b(?:curl|wget|nc|ncat)\b[^\n]{0,300}?(?:@|<[ ]?|\$\(cat )[^\s'"]{0,200}?(?:\.env\b|\.ssh\/|id_(?:rsa|ed25519)|\.aws\/credentials|auth\.json|\.netrc)/i,
  /\bcat\b[^\n|]{0,300}?(?:\.env\b|\.ssh\/|id_(?:rsa|ed25519)|\.aws\/credentials|auth\.json|\.netrc)[^\n|]{0,300}\|[ ]*(?:curl|wget|nc|ncat|base64)\b/i,
]

/** Looks for hidden characters and for words that want to take over an agent. Its time grows with the length. */
export function scanText(text: string): ScannedText {
  const kept: string[] = []
  const marked = text.replaceAll(flags, (flag) => `\0${kept.push(flag) - 1}\0`)
  const clean = marked.replaceAll(hidden, '')
  const shown = kept.length === 0 ? clean : clean.replaceAll(/\0(\d+)\0/g, (_, at: string) => kept[Number(at)] ?? '')
  const found = findInjection(shown)
  return { text: shown, hidden: [...marked.matchAll(hidden)].length, ...(found ? { injection: found } : {}) }
}

/**
 * A name that somebody else may have chosen, of a file or a folder, for a prompt: on one line, with every character to be seen. Undefined where it wants
 * to take over the agent; in names other signs stand for spaces.
 */
export function scanName(name: string): string | undefined {
  const words = name.replaceAll(/[\s_./\\+-]+/g, ' ')
  if ([name, words].some((text) => scanText(text).injection)) return undefined
  const quoted = showJson(JSON.stringify(name))
  return quoted === `"${name.replaceAll(/["\\]/g, '\\$&')}"` ? name : quoted
}

function findInjection(text: string): ScannedText['injection'] {
  const found = injections.map((pattern) => pattern.exec(text)).filter((each) => each !== null)
  const [first] = found.sort((left, right) => left.index - right.index)
  return first && { line: text.slice(0, first.index).split('\n').length, words: first[0].replaceAll(/\s+/g, ' ').slice(0, 80) }
}
