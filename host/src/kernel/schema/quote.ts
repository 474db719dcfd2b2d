const longest = 20

/** A wrong value in a complaint: short words help, and what is longer may be a key that stands in the wrong place. */
export function quote(text: string): string {
  return text.length <= longest ? `"${text}"` : `a text of ${text.length} characters`
}
