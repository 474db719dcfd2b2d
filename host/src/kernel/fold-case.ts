/** ASCII letters only: other alphabets have letters that become ASCII in lower case, and names must not be forged with them. */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
