/** Words that stand in nearly every message; asked for only where a question has no others. */
const usual = new Set(
  (
    'a about after again all also am an and any are as at be because been before being but by can could did do does doing done for from get ' +
    'had has have he her here him his how i if in into is it its just know like me more most my no not of on one only or other our out over ' +
    'please said say she should so some tell than that the their them then there these they this to told too up us was we were what when ' +
    'where which who why will with would yes you your'
  ).split(' '),
)

const mostWords = 12

/** Small letters without accents. */
export function plainText(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u0331]/g, '')
    .normalize('NFC')
    .toLowerCase()
}

/** The words of a question as the index has them: small letters without accents, each once. */
export function questionWords(question: string): readonly string[] {
  const words = plainText(question)
    .split(/[^\p{L}\p{N}\p{Co}]+/u)
    .filter((word) => word !== '')
  const all = [...new Set(words)]
  const telling = all.filter((word) => !usual.has(word))
  return (telling.length > 0 ? telling : all).slice(0, mostWords)
}
