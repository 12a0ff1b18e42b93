import { attempts, deliveries, messages } from './records.ts'

/** What this room contributes to the service. */
export const room = { tables: [messages, deliveries, attempts] }
