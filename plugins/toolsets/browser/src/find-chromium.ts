import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser that the settings name, else the first that is installed; undefined where there is none. */
export async function findChromium(executable: string, path = ''): Promise<string | undefined> {
  const folders = path.split(delimiter).filter(isAbsolute)
  const wanted = executable === '' ? names : [executable]
  const places = wanted.flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))))
  for (const place of places) if (await mayRun(place)) return place
  return undefined
}

async function mayRun(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
