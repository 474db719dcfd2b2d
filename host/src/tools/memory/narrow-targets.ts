import type { ToolManifest } from '@agent/plugin-sdk'

/** The tool with those words of its argument `target` that may be remembered. */
export function narrowTargets(tool: ToolManifest, targets: readonly string[]): ToolManifest {
  const properties = tool.parameters.properties as Readonly<Record<string, { readonly enum?: readonly string[] }>> | undefined
  const words = properties?.target?.enum
  if (!words || words.every((word) => targets.includes(word))) return tool
  const target = { ...properties.target, enum: words.filter((word) => targets.includes(word)) }
  return { ...tool, parameters: { ...tool.parameters, properties: { ...properties, target } } }
}
