import type { ConfigFile, parseConfigFile } from './config-file.ts'

/** How a file is read that may have been read before. */
export type KeepConfig = (file: string, text: string, parse: typeof parseConfigFile) => ConfigFile

/** Reads a text once for each file, and again where it has changed: for a process that asks for the settings again and again. */
export function keepConfig(): KeepConfig {
  const kept = new Map<string, ConfigFile>()
  return (file, text, parse) => {
    const before = kept.get(file)
    const found = before?.text === text ? before : parse(file, text)
    kept.set(file, found)
    // Who asks may change what is theirs.
    return { ...found, value: structuredClone(found.value) }
  }
}
