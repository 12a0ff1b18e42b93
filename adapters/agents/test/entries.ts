import { memoryDisk } from '@countersign/reference-server/reviewed'
import { MemorySaver } from '@langchain/langgraph'
import * as aiSdk from './entries/ai-sdk.ts'
import * as atProvider from './entries/at-provider.ts'
import * as langchain from './entries/langchain.ts'
import * as openai from './entries/openai.ts'
import type { Entries, SavedDisk } from './entries/play.ts'
import * as unframed from './entries/unframed.ts'

/** What outlives an agent that is abandoned within this process. */
export function newDisk(): SavedDisk {
  const saver = new MemorySaver()
  return { ...memoryDisk(), saver: async () => saver }
}

/** The agents by their ways into a framework. */
export const entries: Entries = {
  ...unframed.entries,
  ...aiSdk.entries,
  ...atProvider.entries,
  ...langchain.entries,
  ...openai.entries,
}
