import { runAgentProcess } from '@countersign/reference-server/reviewed'
import { type Entries, savedDisk } from './entries/play.ts'

/** Entries by the beginning of their names: a process loads no framework but its own. */
const frameworks: Readonly<Record<string, () => Promise<{ readonly entries: Entries }>>> = {
  'AI SDK 7, at': () => import('./entries/at-provider.ts'),
  'AI SDK': () => import('./entries/ai-sdk.ts'),
  Lang: () => import('./entries/langchain.ts'),
  OpenAI: () => import('./entries/openai.ts'),
  '': () => import('./entries/unframed.ts'),
}

await runAgentProcess(async (name) => {
  const load = Object.keys(frameworks).find((beginning) => name.startsWith(beginning)) ?? ''
  return (await frameworks[load]?.())?.entries[name]
}, savedDisk)
