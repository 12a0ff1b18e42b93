import { parentPort } from 'node:worker_threads'
import { perform, type Task } from './campaign.ts'

async function answer(task: Task): Promise<void> {
  const { tally, failures } = await perform(task)
  parentPort?.postMessage({ task, tally, failures })
}

// A rejection ends the thread, and so the campaign, with its error.
parentPort?.on('message', (task: Task) => void answer(task))
