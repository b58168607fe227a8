// What people who read attendance with SQL look at. Times are ms since 1970; what lasts is counted until now.
extension Schema {
    static let views = [
        // Each device between two of its events: whether it was there, and with the camera on. While the link was lost
        // it counts as it was when it came back; a loss that nobody came back from does not count.
        """
        CREATE VIEW pieces AS
        SELECT
            e.meeting, e.slot, e.uid, e.device, e.at AS from_at,
            coalesce(
                (SELECT n.at FROM attendance_events n
                    WHERE n.meeting = e.meeting AND n.slot = e.slot AND n.event > e.event
                    ORDER BY n.event LIMIT 1),
                m.ended_at
            ) AS to_at,
            CASE WHEN e.linked THEN NOT e.video_paused
            ELSE (SELECT NOT n.video_paused FROM attendance_events n
                WHERE n.meeting = e.meeting AND n.slot = e.slot AND n.event > e.event AND n.linked
                ORDER BY n.event LIMIT 1)
            END AS camera
        FROM attendance_events e JOIN meetings m ON m.meeting = e.meeting
        WHERE e.kind = 'device'
        """,
        // Each stay of a device. to_at is NULL while it lasts.
        """
        CREATE VIEW intervals AS
        SELECT
            meeting, slot, uid, device, min(from_at) AS from_at,
            CASE WHEN max(camera IS NOT NULL AND to_at IS NULL) THEN NULL
            ELSE coalesce(max(CASE WHEN camera IS NOT NULL THEN to_at END), min(from_at))
            END AS to_at
        FROM pieces GROUP BY meeting, slot
        """,
        // The same pieces with an end for arithmetic: what lasts goes on until now.
        """
        CREATE VIEW counted_pieces AS
        SELECT
            meeting, slot, uid, device, camera, from_at,
            max(from_at, coalesce(to_at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))) AS to_at
        FROM pieces WHERE camera IS NOT NULL
        """,
        """
        CREATE VIEW devices AS
        SELECT
            i.meeting, i.uid, i.device, min(i.from_at) AS joined_at,
            CASE WHEN max(i.to_at IS NULL) THEN NULL ELSE max(i.to_at) END AS left_at,
            count(*) AS stays,
            sum(coalesce(c.duration, 0)) AS duration,
            sum(coalesce(c.video, 0)) AS video,
            sum(coalesce(c.duration, 0) - coalesce(c.video, 0)) AS audio
        FROM intervals i LEFT JOIN (
            SELECT
                meeting, slot, sum(to_at - from_at) AS duration,
                sum(CASE WHEN camera THEN to_at - from_at ELSE 0 END) AS video
            FROM counted_pieces GROUP BY meeting, slot
        ) c ON c.meeting = i.meeting AND c.slot = i.slot
        GROUP BY i.meeting, i.uid, i.device
        """,
        // Time in which any of a person's devices was there counts once: of each piece only what is behind all before
        // it.
        """
        CREATE VIEW people AS
        WITH presence AS (
            SELECT meeting, uid, from_at, to_at, max(to_at) OVER (
                PARTITION BY meeting, uid ORDER BY from_at, to_at
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
            FROM counted_pieces
        ), camera AS (
            SELECT meeting, uid, from_at, to_at, max(to_at) OVER (
                PARTITION BY meeting, uid ORDER BY from_at, to_at
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered
            FROM counted_pieces WHERE camera
        ), durations AS (
            SELECT meeting, uid, sum(max(0, to_at - max(from_at, coalesce(covered, from_at)))) AS duration
            FROM presence GROUP BY meeting, uid
        ), videos AS (
            SELECT meeting, uid, sum(max(0, to_at - max(from_at, coalesce(covered, from_at)))) AS video
            FROM camera GROUP BY meeting, uid
        ), profiles AS (
            SELECT
                d.meeting, d.uid, min(d.joined_at) AS joined_at,
                CASE WHEN max(d.left_at IS NULL) THEN NULL ELSE max(d.left_at) END AS left_at,
                count(*) AS devices,
                (SELECT e.name FROM attendance_events e
                    WHERE e.meeting = d.meeting AND e.kind = 'profile' AND e.uid = d.uid AND e.name IS NOT NULL
                    ORDER BY e.event DESC LIMIT 1) AS name,
                (SELECT e.avatar FROM attendance_events e
                    WHERE e.meeting = d.meeting AND e.kind = 'profile' AND e.uid = d.uid AND e.avatar IS NOT NULL
                    ORDER BY e.event DESC LIMIT 1) AS avatar
            FROM devices d GROUP BY d.meeting, d.uid
        )
        SELECT
            p.meeting, p.uid, p.name, p.avatar, p.joined_at, p.left_at, p.devices,
            coalesce(d.duration, 0) AS duration, coalesce(v.video, 0) AS video,
            coalesce(d.duration, 0) - coalesce(v.video, 0) AS audio
        FROM profiles p
            LEFT JOIN durations d ON d.meeting = p.meeting AND d.uid = p.uid
            LEFT JOIN videos v ON v.meeting = p.meeting AND v.uid = p.uid
        """,
        """
        CREATE VIEW recordings AS
        SELECT
            r.meeting, r.uid AS by_uid, r.name AS by_name, r.since AS from_at,
            coalesce(
                (SELECT n.at FROM attendance_events n
                    WHERE n.meeting = r.meeting AND n.kind IN ('recording', 'stopped') AND n.event > r.event
                    ORDER BY n.event LIMIT 1),
                m.ended_at
            ) AS to_at
        FROM attendance_events r JOIN meetings m ON m.meeting = r.meeting
        WHERE r.kind = 'recording'
        """,
    ]
}
