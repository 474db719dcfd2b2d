import { type AuthData, changeAuthFile } from './auth-file.ts'

/** False where it is there already. */
export function keepKey(
  file: string,
  provider: string,
  key: { readonly key: string; readonly label?: string; readonly at: number },
): boolean {
  return changeAuthFile(file, (data) => {
    const before = data.keys[provider] ?? []
    if (before.some((one) => one.key === key.key)) return { result: false }
    return { data: { ...data, keys: { ...data.keys, [provider]: [...before, key] } }, result: true }
  })
}

/** Takes the key of a number away, from 1; false where there is none. */
export function forgetKey(file: string, provider: string, number: number): boolean {
  return changeAuthFile(file, (data) => {
    const before = data.keys[provider] ?? []
    if (before[number - 1] === undefined) return { result: false }
    const left = before.filter((_, index) => index !== number - 1)
    const { [provider]: _, ...keys } = data.keys
    return { data: { ...data, keys: left.length === 0 ? keys : { ...keys, [provider]: left } }, result: true }
  })
}

/** Lets every key of a provider be used again. */
export function wakeKeys(file: string, provider: string): number {
  return changeAuthFile(file, (data: AuthData) => {
    const { [provider]: resting = {}, ...rests } = data.rests
    return { data: { ...data, rests }, result: Object.keys(resting).length }
  })
}
