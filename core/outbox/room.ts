import { attempts, deliveries, messages } from './records.ts'

/** What the service opens of this room. */
export const room = { tables: [messages, deliveries, attempts] }
