const mostWords = 12
const mostLetters = 80

/** The title in what a model says; undefined where it says something else, as models do that excuse themselves or go on with the conversation. */
export function readTitle(said: string): string | undefined {
  const [line = ''] = withoutThoughts(said)
    .split('\n')
    .map(plain)
    .filter((each) => each !== '')
  const isTitle = line !== '' && line.split(' ').length <= mostWords && [...line].length <= mostLetters
  return isTitle ? line : undefined
}

/** Some models think aloud, also where they are asked not to. */
const withoutThoughts = (said: string): string => said.replace(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, '')

const around = /^["'“”„«»‘’*_`#\s]+|["'“”„«»‘’*_`\s]+$/gu

/** One line without what models put around a title, and without what is not seen. A number at its end would make it one of another line. */
function plain(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(around, '')
    .replace(/^(?:title|titel|titre|título)\s*:\s*/iu, '')
    .replace(around, '')
    .replace(/[.。]+$/u, '')
    .replace(/ #\d+$/, '')
    .replace(/\s+/gu, ' ')
    .trim()
}
