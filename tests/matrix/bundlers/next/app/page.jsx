'use client';

import { useEffect } from 'react';
import { expose } from '../shared/app.js';

export default function Page() {
  useEffect(expose, []);
  return <p>headwise in Next.js</p>;
}
