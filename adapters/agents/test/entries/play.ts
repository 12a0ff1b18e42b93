import { join } from 'node:path'
import { type Disk, type Entry, fileDisk } from '@countersign/reference-server/reviewed'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import * as z from 'zod'
import { NotRun } from '../../verdict.ts'

/** Input of the tool `transfer`. */
export const payment = z.object({ to: z.string(), amount: z.number() })

/** What of an agent outlives its process, LangGraph's checkpoints among it. */
export interface SavedDisk extends Disk {
  saver(): Promise<BaseCheckpointSaver>
}

/** A disk in a directory. LangGraph is loaded by whoever asks for its checkpoints. */
export const savedDisk = (directory: string): SavedDisk => ({
  ...fileDisk(directory),
  saver: async () => {
    const { FileSaver } = await import('./file-saver.ts')
    return new FileSaver(join(directory, 'checkpoints'))
  },
})

/** Runs the agent of an entry. */
export type Run = Entry<SavedDisk>['run']

/** Entries of a framework, by their names. */
export type Entries = Readonly<Record<string, Entry<SavedDisk>>>

/** What the model hears of a call that was held back; throws any other error on. */
export function messageOf(error: unknown): string {
  if (error instanceof NotRun) return error.message
  throw error
}
