import { parse, sep } from 'node:path'

export interface SkipOptions {
  /** Absolute, without links. */
  readonly folder: string
  /** The folder of the person. */
  readonly userHome: string
  /** Where the program keeps everything. */
  readonly home: string
}

/** Why a folder gets no checkpoints, before anybody looks into it. */
export function skipReason({ folder, userHome, home }: SkipOptions): string | undefined {
  if (folder === parse(folder).root) return 'it is the root of the disk'
  if (folder === userHome) return 'it is your home folder'
  if (userHome.startsWith(`${folder}${sep}`)) return 'your home folder is in it'
  return folder === home ? 'it is the home of agent' : undefined
}
