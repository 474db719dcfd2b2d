type Version = readonly [number, number, number]

/** True when a version fits a range: `*`, `>=1.2`, `^1.2.0`, `~1.2`, `1.x`, `1.2.3`; spaces mean and, `||` means or. */
export function fitsRange(version: string, range: string): boolean {
  const found = parse(version)
  return range.split('||').some((alternative) =>
    alternative
      .replaceAll(/([<>=~^])\s+/g, '$1')
      .split(/\s+/)
      .every((part) => fits(found, part)),
  )
}

function fits(found: Version, part: string): boolean {
  const [, operator = '', text = ''] = /^(>=|<=|>|<|=|\^|~)?v?(.*)$/.exec(part) ?? []
  const wanted = parse(text)
  const order = compare(found, wanted)
  const given = text.split('.').filter((word) => /^\d+/.test(word)).length
  if (operator === '>=') return order >= 0
  if (operator === '<=') return order < 0 || same(found, wanted, given)
  if (operator === '>') return order > 0 && !same(found, wanted, given)
  if (operator === '<') return order < 0
  if (operator === '^') return order >= 0 && same(found, wanted, 1 + wanted.findIndex((word) => word > 0) || given)
  if (operator === '~') return order >= 0 && same(found, wanted, Math.min(given, 2))
  return same(found, wanted, given)
}

function parse(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split(/[.+-]/).map((word) => Number.parseInt(word, 10) || 0)
  return [major, minor, patch]
}

function compare(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

function same(left: Version, right: Version, words: number): boolean {
  return left.slice(0, words).every((word, index) => word === right[index])
}
