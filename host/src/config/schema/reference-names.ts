/** `${NAME}` in config.yaml. */
export const reference: RegExp = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The variables that a text of config.yaml refers to. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(reference)].map(([, name = '']) => name)
}
