// SPDX-License-Identifier: Apache-2.0
// Drive.java: PostgreSQL's JDBC driver against a server; prints what it sees, a line for each thing.
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

public class Drive {
    static final long NOON = 1704110400250L;

    static void table(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("CREATE TABLE j (s VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, n INT, b BIGINT,"
                + " ok BOOLEAN, d DATE, x NUMERIC(10, 2), PRIMARY KEY (s, time))");
        }
        try (PreparedStatement p = c.prepareStatement("INSERT INTO j VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
            for (int i = 0; i < 20; i++) {
                p.setString(1, "a");
                p.setTimestamp(2, new Timestamp(NOON + i * 1000));
                p.setDouble(3, i / 2.0);
                p.setInt(4, i);
                p.setLong(5, i);
                p.setBoolean(6, i % 2 == 0);
                p.setObject(7, LocalDate.of(2024, 1, 2));
                p.setBigDecimal(8, new BigDecimal("1.25"));
                p.addBatch();
            }
            System.out.println("batch " + Arrays.stream(p.executeBatch()).sum());
        }
    }

    // The fifth execution makes the statement a named one, with binary values from then on.
    static void query(PreparedStatement q) throws SQLException {
        for (int i = 0; i < 8; i++) {
            q.setString(1, "a");
            q.setObject(2, OffsetDateTime.parse("2024-01-01T12:00:05Z"));
            q.setInt(3, 8);
            try (ResultSet r = q.executeQuery()) {
                int rows = 0;
                String first = "";
                while (r.next())
                    if (rows++ == 0)
                        first = r.getString(1) + " " + r.getTimestamp(2).toInstant() + " " + r.getDouble(3) + " " + r.getInt(4)
                            + " " + r.getLong(5) + " " + r.getBoolean(6) + " " + r.getDate(7) + " " + r.getBigDecimal(8);
                System.out.println("row " + first + ", " + rows);
            }
        }
    }

    static void transaction(Connection c, PreparedStatement q) throws SQLException {
        c.setAutoCommit(false);
        q.setFetchSize(2);
        int rows = 0;
        try (ResultSet r = q.executeQuery()) {
            while (r.next())
                rows++;
        }
        System.out.println("fetched " + rows);
        Savepoint before = c.setSavepoint();
        try (Statement s = c.createStatement()) {
            s.executeQuery("SELECT * FROM nowhere");
        } catch (SQLException e) {
            System.out.println("error " + e.getSQLState());
        }
        c.rollback(before);
        c.commit();
        c.setAutoCommit(true);
    }

    static void rest(Connection c) throws Exception {
        CopyManager copy = ((PGConnection)c).getCopyAPI();
        System.out.println("in " + copy.copyIn("COPY j (s, time, v) FROM STDIN CSV", new StringReader("b,2024-01-01,1\nc,2024-01-01,2\n")));
        StringWriter out = new StringWriter();
        copy.copyOut("COPY (SELECT s, v FROM j WHERE s > 'a' ORDER BY s) TO STDOUT", out);
        System.out.println("out " + out.toString().replace('\n', '|'));
        System.out.println("valid " + c.isValid(5) + " " + c.getMetaData().getDatabaseProductVersion());
        try (PreparedStatement p = c.prepareStatement("SELECT count(*) FROM j WHERE s = ANY (?)")) {
            p.setArray(1, c.createArrayOf("text", new String[] {"a", "b"}));
            try (ResultSet r = p.executeQuery()) {
                r.next();
                System.out.println("any " + r.getLong(1));
            }
        }
        try (Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            s.execute("SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 1000) b");
        } catch (SQLException e) {
            System.out.println("error " + e.getSQLState());
        }
    }

    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection(args[0])) {
            table(c);
            try (PreparedStatement q = c.prepareStatement("SELECT * FROM j WHERE s = ? AND time >= ? AND n < ? ORDER BY time")) {
                query(q);
                transaction(c, q);
            }
            rest(c);
        }
    }
}
